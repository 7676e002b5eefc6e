import { type QueryKey, skipToken, useQuery } from '@tanstack/react-query';
import type { Item } from '../../api/client.ts';
import { type IssueOf, readAllPlaces } from '../../api/queries/places.ts';
import { useReport } from '../../frame/report-context.tsx';
import { ChecksProgress } from '../../frame/report-head.tsx';
import { count, plural } from '../../lib/formats.ts';
import type { Kind } from '../../lib/kinds.ts';
import { diffPlaces } from '../../lib/place-diff.ts';
import styles from './screen.module.css';

/** More places than these are not compared with those before. */
export const placesMax = 1_000;

/** A re-check that was started in this tab. */
interface Started {
  readonly recheck: Item<'recheck'>;
  /** The places before; null if there were too many to read. */
  readonly before: readonly Item<'occurrence'>[] | null;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** Where a re-check is kept. It stays when the last place of the issue is fixed, and the screen of the issue with it. */
export function receiptKey({ report, kind, issue }: IssueOf): QueryKey {
  return ['recheck', report, kind, issue];
}

/** What came of a re-check: which places are fixed, still there, and new. Nothing if this tab started none. */
export function Receipt({ kind, issue }: { readonly kind: Kind; readonly issue: string }) {
  const { report } = useReport();
  const of = { report: report.id, kind, issue };
  const { data: started } = useQuery<Started>({ queryKey: receiptKey(of), queryFn: skipToken });
  const hasEnded = report.status === 'finished';
  const after = useQuery({
    queryKey: ['report', report.id, 'issues', kind, issue, 'receipt', started?.at],
    queryFn: () => readAllPlaces(of, placesMax),
    enabled: hasEnded && started?.before != null,
  });
  if (started === undefined) return null;
  const { recheck, before } = started;
  return (
    <p role="status" className={styles.note}>
      {hasEnded ? (
        <>
          {plural(recheck.num_web_pages, 'page was', 'pages were')} checked again, for{' '}
          {plural(recheck.credits, 'credit')}
          {before === null || after.data == null ? null : <Difference before={before} after={after.data} />}
        </>
      ) : (
        <>
          {plural(recheck.num_web_pages, 'page is', 'pages are')} checked again, for {plural(recheck.credits, 'credit')}{' '}
          <ChecksProgress report={report} />
        </>
      )}
    </p>
  );
}

function Difference({
  before,
  after,
}: {
  readonly before: readonly Item<'occurrence'>[];
  readonly after: readonly Item<'occurrence'>[];
}) {
  const { fixed, still, came } = diffPlaces(before, after);
  return (
    <span className={styles.receipt}>
      <strong>✓ {count(fixed)} fixed</strong>
      <span>■ {count(still)} still there</span>
      <span>+ {count(came)} new</span>
    </span>
  );
}
