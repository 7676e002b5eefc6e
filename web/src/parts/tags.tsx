import type { ReactNode } from 'react';
import styles from './tags.module.css';

/** A list of tags. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} className={styles.tag}>
      {tag}
    </span>
  ));
}

/** A state that sets an item of a list apart. */
export function Mark({ children }: { readonly children: ReactNode }) {
  return <span className={styles.mark}>{children}</span>;
}
