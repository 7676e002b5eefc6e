import { Link } from '@tanstack/react-router';
import { useReport } from '../../frame/report-context.tsx';
import { plural } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { SeverityLabel } from '../../parts/severity.tsx';
import styles from './screen.module.css';

/** Says when all pages pass, with the way to those that could not be checked. */
export function PassingNote() {
  const { report, base } = useReport();
  const checks = KIND_NAMES.flatMap((kind) => {
    const check = report.checks[kind];
    return check == null ? [] : [{ kind, check }];
  });
  const isPassing =
    report.status === 'finished' &&
    checks.some(({ check }) => check.pages.passed > 0) &&
    checks.every(({ check }) => check.pages.with_errors === 0);
  if (!isPassing) return null;
  return (
    <p className={styles.passing}>
      <SeverityLabel of="passed" words={false} /> Every page that could be checked passes.{' '}
      {checks
        .filter(({ check }) => check.status.failed > 0)
        .map(({ kind, check }) => (
          <Link key={kind} to={`${base}/pages`} search={{ [kind]: 'failed' }}>
            {plural(check.status.failed, 'page')} could not be checked for {KINDS[kind].title}
          </Link>
        ))}
    </p>
  );
}
