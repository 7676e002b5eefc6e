import { type RefObject, useId } from 'react';
import { DECISION_SCOPES, LIMITS, VERDICTS } from 'sitewarden-client/values';
import { type Scope, scopeWords, VERDICT_WORDS, type Verdict } from '../../lib/decisions.ts';
import type { Kind } from '../../lib/kinds.ts';
import { usePreference } from '../../live/preferences.ts';
import { Button } from '../../parts/button.tsx';
import styles from './screen.module.css';

/** The buttons of a decision with their keys, what it applies to, and its note. */
export function DecisionBar({
  kind,
  scope,
  onScope,
  note,
  onNote,
  noteField,
  onNoteEnd,
  canUndo,
  onDecide,
  onUndo,
  onStep,
}: {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly noteField: RefObject<HTMLInputElement | null>;
  /** Called when the note is complete, so that keys decide again. */
  readonly onNoteEnd: () => void;
  readonly canUndo: boolean;
  readonly onDecide: (verdict: Verdict) => void;
  readonly onUndo: () => void;
  readonly onStep: (step: 1 | -1) => void;
}) {
  const id = useId();
  return (
    <div className={styles.bar}>
      <fieldset className={styles.scopes}>
        <legend>Decide about</legend>
        {DECISION_SCOPES.map((each) => (
          <label key={each}>
            <input type="radio" name={`${id}-scope`} checked={each === scope} onChange={() => onScope(each)} />
            {scopeWords(each, kind).title} <Key of={scopeWords(each, kind).key} />
          </label>
        ))}
      </fieldset>
      <div className={styles.note}>
        <label htmlFor={id}>
          Note <Key of="n" />
        </label>
        <input
          ref={noteField}
          id={id}
          type="text"
          value={note}
          maxLength={LIMITS.mutingCommentMaxCharacters}
          onChange={(event) => onNote(event.target.value)}
          onKeyDown={(event) => {
            if ((event.key !== 'Enter' && event.key !== 'Escape') || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onNoteEnd();
          }}
        />
      </div>
      <div className={styles.buttons}>
        {VERDICTS.map((verdict) => (
          <Button key={verdict} onClick={() => onDecide(verdict)}>
            {VERDICT_WORDS[verdict].title} <Key of={VERDICT_WORDS[verdict].key} />
          </Button>
        ))}
        <span className={styles.others}>
          <Button look="quiet" aria-disabled={!canUndo} onClick={onUndo}>
            Undo <Key of="u" />
          </Button>
          <Button look="quiet" onClick={() => onStep(-1)}>
            Previous <Key of="k" />
          </Button>
          <Button look="quiet" onClick={() => onStep(1)}>
            Next <Key of="j" />
          </Button>
        </span>
      </div>
    </div>
  );
}

/** The key of a control, unless single-key shortcuts are off. */
function Key({ of }: { readonly of: string }) {
  const [keys] = usePreference('keys');
  return keys === 'on' ? (
    <span className={styles.key} aria-hidden="true">
      {of.toUpperCase()}
    </span>
  ) : null;
}
