import type { ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';

/** The look of a button: `main` for the main action of a screen, at most one; `danger` for actions that cannot be undone. */
type Look = 'main' | 'plain' | 'quiet' | 'danger';

/** A button. It stays enabled while it is working and when a form has errors, which are shown after it is pressed. */
export function Button({
  look = 'plain',
  isBusy = false,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly look?: Look; readonly isBusy?: boolean }) {
  return <button type="button" aria-busy={isBusy} {...rest} className={`${buttonClass(look)} ${className}`} />;
}

/** The class of a link that looks like a button. */
export function buttonClass(look: Look = 'plain'): string {
  return look === 'plain' ? `${styles.button}` : `${styles.button} ${styles[look]}`;
}
