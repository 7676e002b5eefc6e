import { useEffect, useState } from 'react';
import { count } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { ChangeLabel } from '../../report/change-label.tsx';
import type { Occurrence, PageIssue } from './page-issues.ts';
import styles from './screen.module.css';
import type { Selection } from './use-selection.ts';

/** Issues may have thousands of occurrences. */
const shownMax = 50;

/** The occurrences of an issue, fifty at a time: the fifty around the selected one. */
export function OccurrenceList({ issue, selection }: { readonly issue: PageIssue; readonly selection: Selection }) {
  const selected = selection.occurrence?.number ?? 1;
  const [first, setFirst] = useState(0);
  useEffect(() => setFirst(Math.floor((selected - 1) / shownMax) * shownMax), [selected]);
  const { occurrences, omitted } = issue;
  const shown = occurrences.slice(first, first + shownMax);
  return (
    <>
      <ul className={styles.occurrences}>
        {shown.map((occurrence) => (
          <li key={occurrence.number}>
            <button
              type="button"
              className={styles.occurrence}
              aria-current={occurrence.number === selected}
              onClick={() => selection.select(issue, occurrence)}
            >
              {occurrence.where}
              {/* Without lines, only the selectors distinguish occurrences. */}
              {occurrence.line === null && occurrence.selector !== null ? <code> {occurrence.selector}</code> : null}
              <OccurrenceChange occurrence={occurrence} />
            </button>
          </li>
        ))}
      </ul>
      {occurrences.length > shownMax || omitted > 0 ? (
        <p className={styles.range}>
          {first > 0 ? (
            <Button look="quiet" aria-label="Earlier occurrences" onClick={() => setFirst(first - shownMax)}>
              ‹
            </Button>
          ) : null}
          {count(first + 1)} to {count(first + shown.length)} of {count(occurrences.length + omitted)}
          {first + shownMax < occurrences.length ? (
            <Button look="quiet" aria-label="Later occurrences" onClick={() => setFirst(first + shownMax)}>
              ›
            </Button>
          ) : null}
        </p>
      ) : null}
    </>
  );
}

/** The change of an occurrence: in the re-check, or since the previous report. */
function OccurrenceChange({ occurrence }: { readonly occurrence: Occurrence }) {
  if (occurrence.recheck === 'new') return <span className={styles.isNew}>+ new</span>;
  return occurrence.change === null || occurrence.change === 'persisting' ? null : (
    <ChangeLabel change={occurrence.change} />
  );
}
