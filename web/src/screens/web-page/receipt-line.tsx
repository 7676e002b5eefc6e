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

/** The result of the last re-check of a page. */
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
          <SeverityGlyph of="running" /> Re-checking this page. Results below are from the previous check.
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
          {receipt.isByEngine ? <span>The page is unchanged, but the engine version has changed.</span> : null}
          {receipt.isByMeasurement ? (
            <span>
              The document is unchanged, so the result varies, or images or data that scripts load have changed.
            </span>
          ) : null}
          {receipt.fixed > 0 ? <FixedIssues page={page} occurrences={receipt.fixed} /> : null}
        </>
      )}
    </div>
  );
}

/** The number of new occurrences, with a link to the first one. */
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

/** The fixed issues, by type. They load before the reader opens the list, to avoid layout shifts. */
function FixedIssues({ page, occurrences }: { readonly page: Item<'web_page'>; readonly occurrences: number }) {
  const { report } = useReport();
  const issues = useQuery(fixedIssuesQuery(report.id, page.id)).data?.items;
  const others = occurrences - (issues ?? []).reduce((sum, { how_many: howMany }) => sum + howMany, 0);
  return (
    <details className={styles.fixed}>
      <summary>Fixed issues</summary>
      {issues === undefined ? null : (
        <ul>
          {issues.map(({ id, message, how_many: howMany }) => (
            <li key={id}>
              <s>{message}</s> {plural(howMany, 'occurrence')}
            </li>
          ))}
          {others === 0 ? null : <li>and {plural(others, 'occurrence')} of other issues</li>}
        </ul>
      )}
    </details>
  );
}
