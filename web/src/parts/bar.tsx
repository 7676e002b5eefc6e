import type { ReactNode } from 'react';
import styles from './bar.module.css';

/** A message at the bottom of the window, which screen readers announce when it appears. @param children null for none */
export function Bar({ children }: { readonly children: ReactNode }) {
  return (
    <div role="status" className={children === null ? '' : styles.bar}>
      {children}
    </div>
  );
}
