import { type RefObject, useId } from 'react';
import { DECISION_SCOPES, LIMITS, VERDICTS } from 'sitewarden-client/values';
import { type Scope, scopeWords, VERDICT_WORDS } from '../../lib/decisions.ts';
import { count } from '../../lib/formats.ts';
import type { Kind } from '../../lib/kinds.ts';
import { usePreference } from '../../live/preferences.ts';
import { Button } from '../../parts/button.tsx';
import lineInput from '../../parts/line-input.module.css';
import styles from './screen.module.css';
import type { Choice } from './use-choice.ts';

/** The buttons of a decision with their keys, what it applies to, and its note. */
export function DecisionBar({
  kind,
  howMany,
  choice: { scope, setScope, note, setNote, decide, undo, step },
  noteField,
  onNoteEnd,
  canUndo,
}: {
  readonly kind: Kind;
  /** The occurrences in the report that a decision with each scope concerns. */
  readonly howMany: Readonly<Record<Exclude<Scope, 'occurrence'>, number>>;
  readonly choice: Choice;
  readonly noteField: RefObject<HTMLInputElement | null>;
  /** Called when the note is complete, so that keys decide again. */
  readonly onNoteEnd: () => void;
  readonly canUndo: boolean;
}) {
  const id = useId();
  return (
    <div className={styles.bar}>
      <fieldset className={styles.scopes}>
        <legend>Decide about</legend>
        {DECISION_SCOPES.map((each) => (
          <label key={each}>
            <input type="radio" name={`${id}-scope`} checked={each === scope} onChange={() => setScope(each)} />
            {scopeWords(each, kind).title}
            {each === 'occurrence' ? null : ` (${count(howMany[each])})`} <Key of={scopeWords(each, kind).key} />
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
          className={lineInput.input}
          type="text"
          value={note}
          maxLength={LIMITS.mutingCommentMaxCharacters}
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={(event) => {
            if ((event.key !== 'Enter' && event.key !== 'Escape') || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onNoteEnd();
          }}
        />
      </div>
      <div className={styles.buttons}>
        {VERDICTS.map((verdict) => (
          <Button key={verdict} onClick={() => decide(verdict)}>
            {VERDICT_WORDS[verdict].title} <Key of={VERDICT_WORDS[verdict].key} />
          </Button>
        ))}
        <span className={styles.others}>
          <Button look="quiet" aria-disabled={!canUndo} onClick={undo}>
            Undo <Key of="u" />
          </Button>
          <Button look="quiet" onClick={() => step(-1)}>
            Previous <Key of="k" />
          </Button>
          <Button look="quiet" onClick={() => step(1)}>
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
