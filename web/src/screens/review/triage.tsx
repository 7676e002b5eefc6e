import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { DECISION_SCOPES, VERDICTS } from 'sitewarden-client/values';
import { type ReviewedCause, reviewedScreenshotQuery, reviewedSourceQuery } from '../../api/queries/review.ts';
import { type Scope, scopeWords, VERDICT_WORDS, type Verdict } from '../../lib/decisions.ts';
import { pathOf, plural } from '../../lib/formats.ts';
import { useKeys } from '../../live/use-keys.ts';
import { ErrorNote, LoadingRows } from '../../parts/notes.tsx';
import { messageOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { CauseView, Help } from './cause-view.tsx';
import { DecisionBar } from './decision-bar.tsx';
import styles from './screen.module.css';
import type { Triage as TriageState } from './use-triage.ts';

/** The current cause, and the keys and buttons that decide about it. */
export function Triage({
  triage,
  cause,
  onTell,
}: {
  readonly triage: TriageState;
  readonly cause: ReviewedCause;
  /** Announces what happened to screen readers. */
  readonly onTell: (words: string) => void;
}) {
  const scope = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const noteField = useRef<HTMLInputElement>(null);
  const [reach, setReach] = useState<Scope>('cause');
  const [note, setNote] = useState('');
  usePreloaded(triage);
  // The keys work inside the review. Another focus, such as on a button of it, stays where it is.
  useEffect(() => {
    if (!scope.current?.contains(document.activeElement)) heading.current?.focus();
  }, []);
  const { occurrence, made } = triage;
  const reset = (): void => {
    setReach('cause');
    setNote('');
  };
  const decide = (verdict: Verdict): void => {
    const entry = triage.make(verdict, reach, note.trim());
    if (entry === undefined) return;
    onTell(
      `${VERDICT_WORDS[verdict].title}, for ${scopeWords(reach, cause.kind).words}. ${plural(made.length + 1, 'decision')}.`,
    );
    reset();
  };
  const undo = (): void => {
    const last = made.at(-1);
    if (last === undefined) return;
    triage.undo(last);
    onTell(`Undone: ${VERDICT_WORDS[last.verdict].words}. ${messageOf(last.cause.issue)}`);
    reset();
  };
  const step = (by: 1 | -1): void => {
    const to = triage.step(by);
    if (to !== undefined) onTell(messageOf(to.issue));
    reset();
  };
  useKeys(scope, [
    ...VERDICTS.map((verdict) => ({
      key: VERDICT_WORDS[verdict].key,
      title: VERDICT_WORDS[verdict].title,
      run: () => decide(verdict),
    })),
    { key: 'u', title: 'Undo the last decision', run: undo },
    { key: 'j', title: 'Next cause', run: () => step(1) },
    { key: 'k', title: 'Previous cause', run: () => step(-1) },
    ...DECISION_SCOPES.map((each) => ({
      key: scopeWords(each, cause.kind).key,
      title: scopeWords(each, cause.kind).title,
      run: () => setReach(each),
    })),
    { key: 'n', title: 'Write a note', run: () => noteField.current?.focus() },
  ]);
  return (
    <div ref={scope} className={styles.triage}>
      {triage.refused === null ? null : (
        <ErrorNote
          title={`“${VERDICT_WORDS[triage.refused.made.verdict].title}” could not be saved: ${messageOf(triage.refused.made.cause.issue)}`}
          detail={triage.refused.reason}
        />
      )}
      <CauseView cause={cause} occurrence={occurrence} heading={heading} />
      {occurrence === undefined && !triage.isLoading ? (
        <p>Its occurrences have changed. Press J for the next cause.</p>
      ) : null}
      {triage.isLoading ? <LoadingRows rows={3} /> : null}
      <DecisionBar
        kind={cause.kind}
        scope={reach}
        onScope={setReach}
        note={note}
        onNote={setNote}
        noteField={noteField}
        onNoteEnd={() => heading.current?.focus({ preventScroll: true })}
        canUndo={made.length > 0}
        onDecide={decide}
        onUndo={undo}
        onStep={step}
      />
      <Help issue={cause.issue} />
    </div>
  );
}

/** Reads the screenshot and the source of the next cause before it is its turn. */
function usePreloaded({ nextOccurrence: next }: TriageState): void {
  const { report } = useReport();
  const page = next?.web_page_id ?? '';
  const screenshot = useQuery({
    ...reviewedScreenshotQuery(report.id, page),
    enabled: page !== '' && next?.box != null,
  });
  useQuery({ ...reviewedSourceQuery(report.id, page), enabled: page !== '' && next?.line != null });
  const image = screenshot.data?.image_url;
  useEffect(() => {
    if (image !== undefined) new Image().src = pathOf(image);
  }, [image]);
}
