import { type ReactNode, useEffect, useRef } from 'react';
import styles from './notes.module.css';

export interface FormError {
  /** The name of the field; null if the error concerns the whole form. */
  readonly field: string | null;
  readonly detail: string;
  /** A link to where the error can be fixed, if that is outside the form. */
  readonly way?: ReactNode;
  /** Whether it replaces an error that the user has seen, so that the focus stays where it is. */
  readonly isSeen?: true;
}

/** The errors of a form. It takes the focus when it appears, and each line links to its field. */
export function ErrorSummary({ errors }: { readonly errors: readonly FormError[] }) {
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (errors.some(({ isSeen = false }) => !isSeen)) summary.current?.focus();
  }, [errors]);
  if (errors.length === 0) return null;
  return (
    <div ref={summary} className={styles.error} role="alert" tabIndex={-1}>
      <p className={styles.title}>{titleOf(errors)}</p>
      <ul>
        {errors.map(({ field, detail, way }) => (
          <li key={`${field} ${detail}`}>
            {field === null ? detail : <FieldLink field={field} detail={detail} />} {way}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Errors without a field, such as missing credits or a lost connection, are not mistakes in the form. */
function titleOf(errors: readonly FormError[]): string {
  if (errors.every(({ field }) => field === null)) return 'Something went wrong';
  return errors.length === 1 ? 'One thing to fix' : `${errors.length} things to fix`;
}

const VISIBLE_CONTROLS = 'input:not([type=hidden]), select, textarea, button';

function FieldLink({ field, detail }: { readonly field: string; readonly detail: string }) {
  const focusField = (event: React.MouseEvent): void => {
    event.preventDefault();
    const named = document.querySelector<HTMLElement>(`form [name="${CSS.escape(field)}"]`);
    // The value of a hidden field is edited by the controls next to it.
    const control = named?.matches('[type=hidden]')
      ? named.parentElement?.querySelector<HTMLElement>(VISIBLE_CONTROLS)
      : named;
    const section = control?.closest('details');
    if (section) section.open = true;
    control?.focus();
  };
  return (
    <a href={`#${field}`} onClick={focusField}>
      {detail}
    </a>
  );
}
