import type { ReactNode } from 'react';
import { PageHead } from '../parts/page-head.tsx';
import styles from './entry.module.css';

/** The layout of screens without a session. */
export function Entry({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className={styles.entry}>
      <p className={styles.name}>sitewarden</p>
      <PageHead title={title} />
      {children}
    </main>
  );
}
