import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './notes.module.css';

/** A secret that the service shows only once. It takes the focus when it appears. */
export function SecretOnce({
  title,
  secret,
  children,
}: {
  readonly title: string;
  readonly secret: string;
  /** How to use it. */
  readonly children?: ReactNode;
}) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => note.current?.focus(), []);
  return (
    <div ref={note} className={styles.empty} role="status" tabIndex={-1}>
      <p className={styles.title}>{title}</p>
      <p>Copy it now. You won’t be able to see it again.</p>
      <pre>{secret}</pre>
      <CopyButton text={secret} />
      {children}
    </div>
  );
}
