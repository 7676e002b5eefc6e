import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../api/client.ts';
import { fixedIssuesQuery } from '../../api/queries/web-page.ts';
import { useReport } from '../../frame/report-context.tsx';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { SeverityGlyph } from '../../parts/severity.tsx';
import styles from './screen.module.css';
import type { Recheck } from './use-recheck.ts';

/** What became of the places of a page in its last re-check. */
export function ReceiptLine({
  page,
  recheck: { receipt, isRunning },
}: {
  readonly page: Item<'web_page'>;
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
            <SeverityGlyph of="passed" /> {plural(receipt.fixed, 'place')} fixed
          </span>
          <span>
            <SeverityGlyph of="error" /> {count(receipt.still)} still there
          </span>
          <span>+ {count(receipt.added)} new</span>
          {receipt.isByEngine ? <span>The checker has another version, and the page is the same.</span> : null}
          {receipt.fixed > 0 ? <FixedIssues page={page} places={receipt.fixed} /> : null}
        </>
      )}
    </div>
  );
}

/** What was fixed, by kind of issue. It is read before it is opened, because what is below would jump. */
function FixedIssues({ page, places }: { readonly page: Item<'web_page'>; readonly places: number }) {
  const { report } = useReport();
  const issues = useQuery(fixedIssuesQuery(report.id, page.id)).data?.items;
  const others = places - (issues ?? []).reduce((sum, { how_many: howMany }) => sum + howMany, 0);
  return (
    <details className={styles.fixed}>
      <summary>What was fixed</summary>
      {issues === undefined ? null : (
        <ul>
          {issues.map(({ id, message, how_many: howMany }) => (
            <li key={id}>
              <s>{message}</s> {plural(howMany, 'place')}
            </li>
          ))}
          {others === 0 ? null : <li>and {plural(others, 'place')} of other kinds</li>}
        </ul>
      )}
    </details>
  );
}
