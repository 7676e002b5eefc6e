import { failingWords } from 'sitewarden-client/fail-on';
import { plural } from '../lib/formats.ts';
import { SeverityLabel } from '../parts/severity.tsx';
import { useReport } from './report-context.tsx';
import styles from './verdict.module.css';

/** Whether the report passed according to `fail_on` of its schedule, and why not. Empty without `fail_on`. */
export function Verdict() {
  const { verdict } = useReport().report;
  if (verdict === null) return null;
  return (
    <p className={styles.verdict}>
      <SeverityLabel of={verdict.passed ? 'passed' : 'failed'} words={false} />{' '}
      {verdict.passed
        ? 'This run passed according to its schedule.'
        : `This run failed: its schedule allows no ${failingWords(verdict.fail_on)}, but ${plural(verdict.how_many, 'was', 'were')} found.`}
    </p>
  );
}
