import { useState } from 'react';
import { VERDICTS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { VERDICT_WORDS, type Verdict } from '../../lib/decisions.ts';
import { count, shortUrl } from '../../lib/formats.ts';
import { useNarrow } from '../../live/use-narrow.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { DecideDialog, type ToDecide } from '../../report/decide-dialog.tsx';
import { DecisionLine } from '../../report/decision-line.tsx';
import { MuteDialog } from '../../report/mute-dialog.tsx';
import { useReader } from '../../report/report-context.tsx';
import { useMayDecide } from '../../report/use-decisions.ts';
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
  const mayDecide = useMayDecide();
  const [isMuting, setMuting] = useState(false);
  const [toDecide, setToDecide] = useState<ToDecide | null>(null);
  if (issue === undefined || occurrence === undefined) return null;
  const id = `${issue.id}-${occurrence.number - 1}`;
  const actions = (
    <Actions
      onDecide={mayDecide ? (verdict) => setToDecide({ occurrence: id, verdict, scope: 'cause' }) : null}
      onMute={mayMute ? () => setMuting(true) : null}
    />
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
        {occurrence.reachedBy === null ? null : <span>{occurrence.reachedBy}</span>}
        {occurrence.recheck === null ? null : <span>{occurrence.recheck === 'new' ? '+ new' : '■ still there'}</span>}
        {occurrence.selector === null ? null : <code>{occurrence.selector}</code>}
      </p>
      {issue.decision === null ? null : <DecisionLine kind={issue.kind} decision={issue.decision} />}
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
        occurrence={mayDecide ? id : undefined}
        isOpen={isMuting}
        onClose={() => setMuting(false)}
      />
      <DecideDialog kind={issue.kind} of={toDecide} onClose={() => setToDecide(null)} />
    </div>
  );
}

/** What readers can do with the occurrence. Null for what they may not do. */
function Actions({
  onDecide,
  onMute,
}: {
  readonly onDecide: ((verdict: Verdict) => void) | null;
  readonly onMute: (() => void) | null;
}) {
  return (
    <>
      {onDecide === null
        ? null
        : VERDICTS.map((verdict) => (
            <span key={verdict} data-action={verdict}>
              <Button onClick={() => onDecide(verdict)}>{VERDICT_WORDS[verdict].title}…</Button>
            </span>
          ))}
      {onMute === null ? null : (
        <span data-action="mute">
          <Button onClick={onMute}>Mute…</Button>
        </span>
      )}
      <span data-action="copy">
        <CopyButton text={() => location.href} title="Copy link" />
      </span>
    </>
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
