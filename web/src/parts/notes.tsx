import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './notes.module.css';

/** What stands where nothing is to be shown: why, and what to do. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}

/** What could not be done, in the words of the service, and a way to try again. */
export function ErrorNote({
  title,
  detail,
  id = null,
  way,
  onRetry,
}: {
  readonly title: string;
  readonly detail: string;
  /** The id of the error in the log of the service. */
  readonly id?: string | null;
  /** A link to where it can be helped. */
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

/** Gray rows in the place of a list that is on its way. They appear only if it takes a while. */
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
