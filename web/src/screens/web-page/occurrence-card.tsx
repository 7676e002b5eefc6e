import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { count, shortUrl } from '../../lib/formats.ts';
import { useNarrow } from '../../live/use-narrow.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { MuteDialog } from '../../report/mute-dialog.tsx';
import { useReader } from '../../report/report-context.tsx';
import type { PageIssue } from './page-issues.ts';
import styles from './screen.module.css';
import type { Selection } from './use-selection.ts';

/** The selected occurrence: what is wrong, how to fix it, and actions. */
export function OccurrenceCard({
  page,
  selection,
}: {
  readonly page: Item<'web_page'>;
  readonly selection: Selection;
}) {
  const { issue, occurrence } = selection;
  const { mayMute } = useReader();
  const isNarrow = useNarrow();
  const [isMuting, setMuting] = useState(false);
  if (issue === undefined || occurrence === undefined) return null;
  const actions = (
    <>
      {mayMute ? (
        <span data-action="mute">
          <Button onClick={() => setMuting(true)}>Mute…</Button>
        </span>
      ) : null}
      <span data-action="copy">
        <CopyButton text={() => location.href} title="Copy link" />
      </span>
    </>
  );
  return (
    <div className={styles.card}>
      <p className={styles.cardTitle}>
        <SeverityLabel of={issue.severity} /> {issue.message}
      </p>
      <p className={styles.cardFacts}>
        <span>
          occurrence {count(occurrence.number)} of {count(issue.howMany)}, {occurrence.where}
        </span>
        {occurrence.recheck === null ? null : <span>{occurrence.recheck === 'new' ? '+ new' : '■ still there'}</span>}
        {occurrence.selector === null ? null : <code>{occurrence.selector}</code>}
      </p>
      {isNarrow ? null : <RemedyOf issue={issue} />}
      <div className={styles.cardActions}>
        <Button look="quiet" onClick={() => selection.stepOccurrence(-1)}>
          ‹ Previous occurrence
        </Button>
        <Button look="quiet" onClick={() => selection.stepOccurrence(1)}>
          Next occurrence ›
        </Button>
        {isNarrow ? null : actions}
      </div>
      {isNarrow ? (
        <details>
          <summary>How to fix</summary>
          <RemedyOf issue={issue} />
          <div className={styles.cardActions}>{actions}</div>
        </details>
      ) : null}
      <MuteDialog
        kind={issue.kind}
        message={issue.message}
        url={shortUrl(page.url)}
        isOpen={isMuting}
        onClose={() => setMuting(false)}
      />
    </div>
  );
}

/** How to fix the issue, what axe found wrong, and where to learn more. If elements differ, axe has several texts. */
function RemedyOf({ issue: { remedy, faults, helpUrl } }: { readonly issue: PageIssue }) {
  const text = faults === null ? null : <p className={styles.remedy}>{faults}</p>;
  return (
    <>
      {remedy === null ? null : <p>{remedy}</p>}
      {faults?.includes('\n\n') === true ? (
        <details>
          <summary>What is wrong with these elements</summary>
          {text}
        </details>
      ) : (
        text
      )}
      {helpUrl === null ? null : (
        <p>
          <a href={helpUrl} rel="noreferrer" target="_blank">
            About this rule
            <span aria-hidden="true"> ↗</span>
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        </p>
      )}
    </>
  );
}
