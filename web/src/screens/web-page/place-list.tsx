import { useEffect, useState } from 'react';
import { count } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { ChangeLabel } from '../../report/change-label.tsx';
import type { PageIssue, Place } from './page-issues.ts';
import styles from './screen.module.css';
import type { Selection } from './use-selection.ts';

/** Issues may have thousands of places. */
const shownMax = 50;

/** The places of an issue, fifty at a time: those around the selected one. */
export function PlaceList({ issue, selection }: { readonly issue: PageIssue; readonly selection: Selection }) {
  const selected = selection.place?.number ?? 1;
  const [first, setFirst] = useState(0);
  useEffect(() => setFirst(Math.floor((selected - 1) / shownMax) * shownMax), [selected]);
  const { places, omitted } = issue;
  const shown = places.slice(first, first + shownMax);
  return (
    <>
      <ul className={styles.places}>
        {shown.map((place) => (
          <li key={place.number}>
            <button
              type="button"
              className={styles.place}
              aria-current={place.number === selected}
              onClick={() => selection.select(issue, place)}
            >
              {place.where}
              {/* Without a line, only their selectors tell places apart. */}
              {place.line === null && place.selector !== null ? <code> {place.selector}</code> : null}
              <PlaceChange place={place} />
            </button>
          </li>
        ))}
      </ul>
      {places.length > shownMax || omitted > 0 ? (
        <p className={styles.range}>
          {first > 0 ? (
            <Button look="quiet" aria-label="Places before" onClick={() => setFirst(first - shownMax)}>
              ‹
            </Button>
          ) : null}
          {count(first + 1)} to {count(first + shown.length)} of {count(places.length + omitted)}
          {first + shownMax < places.length ? (
            <Button look="quiet" aria-label="Places after" onClick={() => setFirst(first + shownMax)}>
              ›
            </Button>
          ) : null}
        </p>
      ) : null}
    </>
  );
}

/** What became of a place: in the re-check, or since the previous report. */
function PlaceChange({ place }: { readonly place: Place }) {
  if (place.recheck === 'new') return <span className={styles.isNew}>+ new</span>;
  return place.change === null || place.change === 'persisting' ? null : <ChangeLabel change={place.change} />;
}
