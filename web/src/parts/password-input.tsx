import { useState } from 'react';
import { Button } from './button.tsx';
import type { ControlProps } from './field.tsx';
import styles from './password-input.module.css';

/** A password field with a button that shows the password. */
export function PasswordInput({
  autoComplete,
  ...control
}: ControlProps & { readonly autoComplete: 'current-password' | 'new-password' }) {
  const [isShown, setShown] = useState(false);
  return (
    <span className={styles.password}>
      <input type={isShown ? 'text' : 'password'} autoComplete={autoComplete} spellCheck={false} {...control} />
      <Button aria-pressed={isShown} aria-label="Show password" onClick={() => setShown(!isShown)}>
        Show
      </Button>
    </span>
  );
}
