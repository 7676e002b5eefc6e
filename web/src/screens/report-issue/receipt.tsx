import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { rechecksQuery } from '../../api/queries/reports.ts';
import { count, dateTime, plural } from '../../lib/formats.ts';
import type { Kind } from '../../lib/kinds.ts';
import { Progress } from '../../parts/progress.tsx';
import { useReader, useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';

/**
 * The result of the last re-check of an issue type: occurrences that are fixed, still there, and new. Empty without a re-check.
 */
export function Receipt({ kind, issue }: { readonly kind: Kind; readonly issue: string }) {
  const { report, base } = useReport();
  const rechecks = useQuery(rechecksQuery(report.id)).data;
  const { account } = useReader();
  const recheck = rechecks?.items.find((each) => each.kind === kind && each.common_issue_id === issue);
  if (recheck === undefined) return null;
  const { num_web_pages: pages, credits, status } = recheck;
  const done = status.checked + status.failed;
  const price = account?.credits == null ? '' : `, for ${plural(credits, 'credit')}`;
  return (
    <p role="status" className={styles.note}>
      {status.pending > 0 ? (
        <>
          Re-checking {plural(pages, 'page')}
          {price} <Progress label="Checks done" done={done} whole={done + status.pending} />
        </>
      ) : (
        <>
          {plural(pages, 'page')} re-checked {dateTime(recheck.inserted_at)}
          {price}
          <Found recheck={recheck} base={base} />
        </>
      )}
    </p>
  );
}

function Found({ recheck, base }: { readonly recheck: Item<'recheck'>; readonly base: string }) {
  const { status, occurrences, occurrences_of_issue: ofIssue, uncompared } = recheck;
  if (ofIssue === null) return null;
  const [fixed, added] = [occurrences.fixed - ofIssue.fixed, occurrences.new - ofIssue.new];
  return (
    <>
      <span className={styles.receipt}>
        <strong>✓ {count(ofIssue.fixed)} fixed</strong>
        <span>■ {count(ofIssue.still)} still there</span>
        <span>
          {ofIssue.new === 0 ? (
            '+ 0 new'
          ) : (
            <Link
              to="."
              search={(search: Record<string, unknown>) => ({ ...search, page: undefined, view: 'occurrences' })}
            >
              + {count(ofIssue.new)} new
            </Link>
          )}
        </span>
      </span>
      {fixed + added === 0 ? null : (
        <span className={styles.aside}>
          Other issues on these pages: {count(fixed)} fixed,{' '}
          {added > 0 ? (
            <Link to={`${base}/pages`} search={{ recheck: 'new' }}>
              {count(added)} new
            </Link>
          ) : (
            '0 new'
          )}
          .
        </span>
      )}
      {status.failed === 0 ? null : (
        <span className={styles.aside}>
          {plural(status.failed, 'check')} failed, so the issues of these pages are unknown.
        </span>
      )}
      {uncompared === 0 ? null : (
        <span className={styles.aside}>{plural(uncompared, 'check')} had no earlier result to compare with.</span>
      )}
    </>
  );
}
