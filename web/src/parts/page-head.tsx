import type { ReactNode } from 'react';
import styles from './page-head.module.css';

/** The head of a screen: its title, a line of description, and actions. */
export function PageHead({
  title,
  back,
  children,
  actions,
}: {
  readonly title: ReactNode;
  /** A link to the parent screen. */
  readonly back?: ReactNode;
  /** A line of description. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  return (
    <header className={styles.head}>
      {back === undefined ? null : <div className={styles.back}>{back}</div>}
      <div className={styles.title}>
        {/* The frame moves the focus here after navigation. */}
        <h1 tabIndex={-1}>{title}</h1>
        {children === undefined ? null : <div className={styles.line}>{children}</div>}
      </div>
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
