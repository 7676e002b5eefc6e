import { type ReactNode, useEffect, useRef } from 'react';
import styles from './notes.module.css';

export interface FormError {
  /** The name of the field; null if the error is of the whole form. */
  readonly field: string | null;
  readonly detail: string;
  /** A link to where it can be put right, if that is not in the form. */
  readonly way?: ReactNode;
}

/** What has to be put right in a form. It takes the focus when it appears; each line leads to its field. */
export function ErrorSummary({ errors }: { readonly errors: readonly FormError[] }) {
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (errors.length > 0) summary.current?.focus();
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

/** What no field can put right, such as missing credits or a lost connection, is not the form's fault. */
function titleOf(errors: readonly FormError[]): string {
  if (errors.every(({ field }) => field === null)) return 'That did not work';
  return errors.length === 1 ? 'One thing to fix' : `${errors.length} things to fix`;
}

function FieldLink({ field, detail }: { readonly field: string; readonly detail: string }) {
  const focusField = (event: React.MouseEvent): void => {
    event.preventDefault();
    const control = document.querySelector<HTMLElement>(`form [name="${CSS.escape(field)}"]`);
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
