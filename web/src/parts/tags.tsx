import styles from './tags.module.css';

/** The tags of a thing. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} className={styles.tag}>
      {tag}
    </span>
  ));
}
