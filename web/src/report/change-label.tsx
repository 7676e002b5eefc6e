import { changeWords } from 'sitewarden-client/changes';
import { CHANGE_SIGNS } from '../lib/change-signs.ts';
import styles from './change-label.module.css';

/** The change of an issue or an occurrence since the previous report, as a sign and a word. */
export function ChangeLabel({
  change,
  isOtherSite = false,
}: {
  readonly change: keyof typeof CHANGE_SIGNS;
  /** Whether the other report belongs to another site. */
  readonly isOtherSite?: boolean;
}) {
  return (
    <span className={`${styles.change} ${styles[change]}`}>
      <span aria-hidden="true">{CHANGE_SIGNS[change]}</span> {changeWords(isOtherSite)[change]}
    </span>
  );
}
