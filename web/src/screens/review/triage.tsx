import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { commonIssueQuery } from '../../api/queries/common-issues.ts';
import type { ReviewedCause } from '../../api/queries/review.ts';
import { VERDICT_WORDS } from '../../lib/decisions.ts';
import { ErrorNote, LoadingRows } from '../../parts/notes.tsx';
import { messageOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { CauseView, Help } from './cause-view.tsx';
import { DecisionBar } from './decision-bar.tsx';
import styles from './screen.module.css';
import { useChoice, useTriageKeys } from './use-choice.ts';
import type { Triage as TriageState } from './use-triage.ts';

/** The number of occurrences of a rule about which nothing is decided yet; until it loads, the number in the queue. */
function useUndecided({ kind, issue }: ReviewedCause): number {
  const { report } = useReport();
  const now = useQuery(commonIssueQuery(report.id, kind, issue.id, undefined));
  return now.data?.id === issue.id ? now.data.how_many : issue.how_many;
}

/** The current cause, and the keys and buttons that decide about it. */
export function Triage({
  triage,
  cause,
  onAnnounce,
}: {
  readonly triage: TriageState;
  readonly cause: ReviewedCause;
  /** Announces what happened to screen readers. */
  readonly onAnnounce: (words: string) => void;
}) {
  const scope = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const noteField = useRef<HTMLInputElement>(null);
  const choice = useChoice(triage, cause, onAnnounce);
  useTriageKeys(scope, cause, choice, noteField);
  // The keys work inside the review. Focus that is already inside it, such as on a button, stays where it is.
  useEffect(() => {
    if (!scope.current?.contains(document.activeElement)) heading.current?.focus();
  }, []);
  const { occurrence, refused, isLoading } = triage;
  const rule = useUndecided(cause);
  return (
    <div ref={scope} className={styles.triage}>
      {refused === null ? null : (
        <ErrorNote
          title={`“${VERDICT_WORDS[refused.made.verdict].title}” failed: ${messageOf(refused.made.cause.issue)}`}
          detail={refused.reason}
        />
      )}
      <CauseView cause={cause} occurrence={occurrence} heading={heading} />
      {isLoading ? <LoadingRows rows={3} /> : null}
      {isLoading || occurrence !== undefined ? null : <p>The occurrences of this cause have changed. Choose “Next”.</p>}
      <DecisionBar
        kind={cause.kind}
        howMany={{ cause: cause.cluster.how_many, rule }}
        choice={choice}
        noteField={noteField}
        onNoteEnd={() => heading.current?.focus({ preventScroll: true })}
        canUndo={triage.made.length > 0}
      />
      <Help issue={cause.issue} />
    </div>
  );
}
