import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { severeFreeWords } from 'sitewarden-client/severe-free';
import { IMPACTS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { count, plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { LIST_SIZE_MAX } from '../../lib/position.ts';
import { SeverityCount } from '../../parts/severity.tsx';
import { StackBar } from '../../parts/stack-bar.tsx';
import { useReport } from '../../report/report-context.tsx';
import { useMayDecide } from '../../report/use-decisions.ts';
import styles from './screen.module.css';

type Check = NonNullable<Item<'report'>['checks'][Kind]>;

/** How many pages pass one kind of check, and the number of its errors. */
export function CheckSummary({ kind, check }: { readonly kind: Kind; readonly check: Check }) {
  const { base, report } = useReport();
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
          { of: 'pending', title: 'not checked yet', count: check.status.pending },
        ]}
      />
      <div className={styles.counts}>
        {'severity' in check.issues
          ? IMPACTS.map((impact) => (
              <SeverityCount key={impact} of={impact} count={errorsOf(check.issues, impact)} words />
            ))
          : null}
        {'severity' in check.issues ? null : <SeverityCount of="error" count={check.issues.errors} words />}
        <SeverityCount of={'severity' in check.issues ? 'review' : 'warning'} count={check.issues.warnings} words />
      </div>
      {'severe_free' in check.pages ? (
        <p>{severeFreeWords({ pages: check.pages.severe_free, checked: check.status.checked })}</p>
      ) : null}
      {kind === 'a11y' && check.issues.warnings > 0 ? <ToReview of={check.issues.warnings} /> : null}
      <AtEnd counts={report.at_end?.checks[kind]} />
    </section>
  );
}

/** How many findings people have to decide about. */
function ToReview({
  of,
}: {
  /** Elements that need review, including elements that were left for later. */ readonly of: number;
}) {
  const { report, base } = useReport();
  const mayDecide = useMayDecide();
  const undecided = useQuery({
    ...commonIssuesQuery(report.id, 'a11y', {
      ...{ 'filter[issue_type]': 'warning', 'filter[verdict]': 'none' },
      'page[size]': LIST_SIZE_MAX,
    }),
    enabled: mayDecide,
  });
  if (!mayDecide) return null;
  const howMany = undecided.data?.items.reduce((sum, issue) => sum + issue.how_many, 0);
  return (
    <p>
      {howMany === 0 ? (
        'Nothing is left to review'
      ) : (
        <Link to={`${base}/review`}>Review{howMany === undefined ? '' : ` ${plural(howMany, 'element')}`}</Link>
      )}
      {howMany === undefined || howMany >= of ? null : `, ${count(of - howMany)} later`}
    </p>
  );
}

/** What the check had found when the report ended, if re-checks or mutings have changed it since. */
function AtEnd({ counts }: { readonly counts: NonNullable<Item<'report'>['at_end']>['checks'][Kind] | undefined }) {
  if (counts == null) return null;
  const { passed, with_errors: withErrors } = counts.pages;
  return (
    <p className="soft small">
      When the report ended: {plural(counts.issues.errors, 'error')}, {count(passed)} of{' '}
      {plural(passed + withErrors, 'page')} passed
    </p>
  );
}

function errorsOf(issues: Check['issues'], impact: (typeof IMPACTS)[number]): number {
  return 'errors_by_impact' in issues ? (issues.errors_by_impact?.[impact] ?? 0) : 0;
}
