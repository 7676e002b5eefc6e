import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { fixedIssuesQuery } from '../../api/queries/web-page.ts';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { SeverityGlyph } from '../../parts/severity.tsx';
import { useReport } from '../../report/report-context.tsx';
import type { PageIssue } from './page-issues.ts';
import styles from './screen.module.css';
import type { Recheck } from './use-recheck.ts';

/** What became of the occurrences of a page in its last re-check. */
export function ReceiptLine({
  page,
  issues,
  recheck: { receipt, isRunning },
}: {
  readonly page: Item<'web_page'>;
  readonly issues: readonly PageIssue[];
  readonly recheck: Recheck;
}) {
  return (
    <div role="status" className={receipt === null && !isRunning ? 'visually-hidden' : styles.receipt}>
      {isRunning ? (
        <>
          <SeverityGlyph of="running" /> Checking this page again. What you see is from before.
        </>
      ) : receipt === null ? null : (
        <>
          <span>Re-checked {dateTime(receipt.checkedAt)}:</span>
          <span>
            <SeverityGlyph of="passed" /> {plural(receipt.fixed, 'occurrence')} fixed
          </span>
          <span>
            <SeverityGlyph of="error" /> {count(receipt.still)} still there
          </span>
          <span>
            <NewOccurrences added={receipt.added} issues={issues} />
          </span>
          {receipt.isByEngine ? <span>The checker has another version, and the page is the same.</span> : null}
          {receipt.isByMeasurement ? (
            <span>The document is the same: the result varies, or an image or data that scripts load changed.</span>
          ) : null}
          {receipt.fixed > 0 ? <FixedIssues page={page} occurrences={receipt.fixed} /> : null}
        </>
      )}
    </div>
  );
}

/** How many occurrences are new, as a way to the first of them. */
function NewOccurrences({ added, issues }: { readonly added: number; readonly issues: readonly PageIssue[] }) {
  const words = `+ ${count(added)} new`;
  const issue = issues.find(({ occurrences }) => occurrences.some(({ recheck }) => recheck === 'new'));
  const occurrence = issue?.occurrences.find(({ recheck }) => recheck === 'new');
  if (issue === undefined || occurrence === undefined) return words;
  return (
    <Link
      to="."
      search={(search: Record<string, unknown>) => ({
        ...search,
        issue: issue.key,
        occurrence: String(occurrence.number),
      })}
    >
      {words}
    </Link>
  );
}

/** What was fixed, by issue type. It is read before it is opened, because what is below would jump. */
function FixedIssues({ page, occurrences }: { readonly page: Item<'web_page'>; readonly occurrences: number }) {
  const { report } = useReport();
  const issues = useQuery(fixedIssuesQuery(report.id, page.id)).data?.items;
  const others = occurrences - (issues ?? []).reduce((sum, { how_many: howMany }) => sum + howMany, 0);
  return (
    <details className={styles.fixed}>
      <summary>What was fixed</summary>
      {issues === undefined ? null : (
        <ul>
          {issues.map(({ id, message, how_many: howMany }) => (
            <li key={id}>
              <s>{message}</s> {plural(howMany, 'occurrence')}
            </li>
          ))}
          {others === 0 ? null : <li>and {plural(others, 'occurrence')} of other kinds</li>}
        </ul>
      )}
    </details>
  );
}
