import { DECISION_SCOPES, LIMITS, VERDICTS } from 'sitewarden-client/values';
import { FormDialog } from '../forms/form-dialog.tsx';
import { type Scope, scopeWords, VERDICT_WORDS, type Verdict } from '../lib/decisions.ts';
import type { Kind } from '../lib/kinds.ts';
import { Field } from '../parts/field.tsx';
import styles from './decision-line.module.css';
import { useDecide } from './use-decisions.ts';

/** What a dialog is about. */
export interface ToDecide {
  /** The id of an occurrence. */
  readonly occurrence: string;
  readonly verdict: Verdict;
  readonly scope: Scope;
}

/** Decides about an occurrence, its cause or its rule, with a note. */
export function DecideDialog({
  kind,
  of,
  onClose,
}: {
  readonly kind: Kind;
  /** Null while the dialog is closed. */
  readonly of: ToDecide | null;
  readonly onClose: () => void;
}) {
  const decide = useDecide();
  const send = async (fields: FormData): Promise<void> => {
    await decide({
      occurrence: of?.occurrence ?? '',
      verdict: VERDICTS.find((verdict) => verdict === fields.get('verdict')) ?? 'later',
      scope: DECISION_SCOPES.find((scope) => scope === fields.get('scope')) ?? 'cause',
      note: String(fields.get('note')),
    });
  };
  return (
    <FormDialog title="Decide" action="Decide" isOpen={of !== null} onClose={onClose} submit={send}>
      {(errorOf) => (
        <>
          <fieldset className={styles.verdicts}>
            <legend>This is</legend>
            {VERDICTS.map((verdict) => (
              <label key={verdict} className={styles.choice}>
                <input
                  type="radio"
                  name="verdict"
                  value={verdict}
                  defaultChecked={verdict === of?.verdict}
                  // The browser would focus the first choice. React does not write this attribute.
                  ref={(input) => void input?.toggleAttribute('autofocus', verdict === of?.verdict)}
                />
                {VERDICT_WORDS[verdict].title}
                <small>{VERDICT_WORDS[verdict].effect}</small>
              </label>
            ))}
          </fieldset>
          <fieldset className={styles.scopes}>
            <legend>It applies to</legend>
            {DECISION_SCOPES.map((scope) => (
              <label key={scope} className={styles.choice}>
                <input type="radio" name="scope" value={scope} defaultChecked={scope === of?.scope} />
                {scopeWords(scope, kind).title}
              </label>
            ))}
          </fieldset>
          <Field label="Note" name="note" hint="Anyone who can see the report can read it" error={errorOf('note')}>
            {(control) => <textarea rows={2} maxLength={LIMITS.mutingCommentMaxCharacters} {...control} />}
          </Field>
          <p className="soft small">It applies to this report and later reports of the site, until you undo it.</p>
        </>
      )}
    </FormDialog>
  );
}
