import { type RefObject, useState } from 'react';
import { causeOf } from 'sitewarden-client/occurrences';
import { DECISION_SCOPES, VERDICTS } from 'sitewarden-client/values';
import type { ReviewedCause } from '../../api/queries/review.ts';
import { type Scope, scopeWords, VERDICT_WORDS, type Verdict } from '../../lib/decisions.ts';
import { plural } from '../../lib/formats.ts';
import { useKeys } from '../../live/use-keys.ts';
import { messageOf } from '../../report/issue-words.ts';
import type { Triage } from './use-triage.ts';

/** What is chosen about the current cause, and what can be done with it. */
export function useChoice(triage: Triage, cause: ReviewedCause, onAnnounce: (words: string) => void) {
  const [scope, setScope] = useState<Scope>('cause');
  const [note, setNote] = useState('');
  const { made, next } = triage;
  const reset = (): void => {
    setScope('cause');
    setNote('');
  };
  return {
    ...{ scope, setScope, note, setNote },
    decide(verdict: Verdict): void {
      if (!triage.make(verdict, scope, note.trim())) {
        onAnnounce('Nothing was decided: the cause is still loading.');
        return;
      }
      const words = `${VERDICT_WORDS[verdict].title}, for ${scopeWords(scope, cause.kind).words}`;
      const following = next === undefined || next === cause ? '' : ` Next: ${messageOf(next.issue)}`;
      onAnnounce(`${words}. ${plural(made.length + 1, 'decision')}.${following}`);
      reset();
    },
    undo(): void {
      const last = made.at(-1);
      if (last === undefined) return;
      triage.undo(last);
      onAnnounce(`Undone: ${VERDICT_WORDS[last.verdict].words}. ${messageOf(last.cause.issue)}`);
      reset();
    },
    step(by: 1 | -1): void {
      const to = triage.step(by);
      if (to !== undefined) onAnnounce(`${messageOf(to.issue)}, ${causeOf(to.cluster)}`);
      reset();
    },
  };
}

export type Choice = ReturnType<typeof useChoice>;

/** The keys that decide, undo, and go from cause to cause. */
export function useTriageKeys(
  scope: RefObject<HTMLElement | null>,
  { kind }: ReviewedCause,
  choice: Choice,
  noteField: RefObject<HTMLInputElement | null>,
): void {
  useKeys(scope, [
    ...VERDICTS.map((verdict) => ({
      key: VERDICT_WORDS[verdict].key,
      title: VERDICT_WORDS[verdict].title,
      run: () => choice.decide(verdict),
    })),
    { key: 'u', title: 'Undo the last decision', run: choice.undo },
    { key: 'j', title: 'Next cause', run: () => choice.step(1) },
    { key: 'k', title: 'Previous cause', run: () => choice.step(-1) },
    ...DECISION_SCOPES.map((each) => ({
      key: scopeWords(each, kind).key,
      title: scopeWords(each, kind).title,
      run: () => choice.setScope(each),
    })),
    { key: 'n', title: 'Write a note', run: () => noteField.current?.focus() },
  ]);
}
