import styles from './switch.module.css';

/** A setting that takes effect at once. */
export function Switch({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      className={styles.switch}
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
