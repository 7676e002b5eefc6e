import styles from './tags.module.css';

/** A list of tags. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} className={styles.tag}>
      {tag}
    </span>
  ));
}
