import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './notes.module.css';

/** Replaces missing content: says why there is none, and what to do. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}

/** An error in the words of the service, with a way to try again. */
export function ErrorNote({
  title,
  detail,
  id = null,
  way,
  onRetry,
}: {
  readonly title: string;
  readonly detail: string;
  /** The id of the error in the service's log. */
  readonly id?: string | null;
  /** A link to where the problem can be fixed. */
  readonly way?: ReactNode;
  readonly onRetry?: (() => void) | undefined;
}) {
  return (
    <div className={styles.error} role="alert">
      <p className={styles.title}>{title}</p>
      <p>{detail}</p>
      {id === null ? null : (
        <p className={styles.id}>
          Error <code>{id}</code>
        </p>
      )}
      {way == null ? null : <p>{way}</p>}
      {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Placeholder rows while a list loads. They appear only if it takes a while. */
export function LoadingRows({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div data-loading>
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same.
        <div key={index} className={styles.row} aria-hidden="true" />
      ))}
    </div>
  );
}
