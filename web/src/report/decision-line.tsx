import { type Scope, scopeWords, VERDICT_WORDS, type Verdict } from '../lib/decisions.ts';
import { dateTime } from '../lib/formats.ts';
import type { Kind } from '../lib/kinds.ts';
import { Button } from '../parts/button.tsx';
import { Mark } from '../parts/tags.tsx';
import styles from './decision-line.module.css';
import { useMayDecide, useUndo } from './use-decisions.ts';

/** What readers of an issue see of the decision about it. */
export interface ShownDecision {
  readonly id: string;
  readonly scope: Scope;
  readonly verdict: Verdict;
  readonly note: string;
  readonly assessor: string;
  readonly decided_at: string;
}

/** Marks an issue about which something was decided. */
export function DecisionMark({ verdict }: { readonly verdict: Verdict }) {
  return (
    <>
      {' '}
      <Mark>Decided: {VERDICT_WORDS[verdict].words}</Mark>
    </>
  );
}

/** What was decided about an issue, why, by whom, and when, with a way to undo it for the owner. */
export function DecisionLine({ kind, decision }: { readonly kind: Kind; readonly decision: ShownDecision }) {
  const { id, scope, verdict, note, assessor, decided_at: decidedAt } = decision;
  const mayDecide = useMayDecide();
  const undo = useUndo();
  return (
    <div className={styles.decision}>
      <p>
        <strong>Decided: {VERDICT_WORDS[verdict].words}</strong>, for {scopeWords(scope, kind).words}
        {assessor === '' ? '' : `, by ${assessor}`}, {dateTime(decidedAt)}
      </p>
      {note === '' ? null : <p className={styles.note}>{note}</p>}
      {mayDecide ? (
        <Button look="quiet" onClick={() => void undo(id)}>
          Undo decision
        </Button>
      ) : null}
    </div>
  );
}
