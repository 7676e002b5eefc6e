import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { useReport } from '../../frame/report-context.tsx';
import { count, plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { SeverityCount, SeverityGlyph } from '../../parts/severity.tsx';
import { StackBar } from '../../parts/stack-bar.tsx';
import styles from './screen.module.css';

type Check = NonNullable<Item<'report'>['checks'][Kind]>;

/** How many pages pass one kind of check, and what it found. */
export function CheckSummary({ kind, check }: { readonly kind: Kind; readonly check: Check }) {
  const { base } = useReport();
  const { title, path } = KINDS[kind];
  const { passed, with_errors: withErrors } = check.pages;
  return (
    <section className={styles.card} aria-labelledby={`check-${kind}`}>
      <h2 id={`check-${kind}`}>
        <Link to={`${base}/${path}`}>{title}</Link>
      </h2>
      <p>
        {count(passed)} of {plural(check.status.checked, 'checked page')}{' '}
        {check.status.checked === 1 ? 'passes' : 'pass'}
      </p>
      <StackBar
        label="Pages"
        shares={[
          { of: 'passed', title: 'pass', count: passed },
          { of: 'error', title: 'with errors', count: withErrors },
          { of: 'failed', title: 'could not be checked', count: check.status.failed },
          { of: 'pending', title: 'to be checked', count: check.status.pending },
        ]}
      />
      <div className={styles.counts}>
        {'severity' in check.issues
          ? (['critical', 'serious', 'moderate', 'minor'] as const).map((impact) => (
              <SeverityCount key={impact} of={impact} count={severityOf(check.issues, impact)} words />
            ))
          : null}
        {'severity' in check.issues ? null : <SeverityCount of="error" count={check.issues.errors} words />}
        {kind === 'a11y' ? null : <SeverityCount of="warning" count={check.issues.warnings} words />}
        {kind !== 'a11y' || check.issues.warnings === 0 ? null : (
          // The impacts include what only a person can judge.
          <span className="soft small">
            <SeverityGlyph of="review" /> {count(check.issues.warnings)} of them to be reviewed
          </span>
        )}
      </div>
    </section>
  );
}

function severityOf(issues: Check['issues'], impact: 'critical' | 'serious' | 'moderate' | 'minor'): number {
  return 'severity' in issues ? issues.severity[impact] : 0;
}
