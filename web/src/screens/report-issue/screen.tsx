import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isStatus } from 'sitewarden-client/errors';
import { type CommonIssue, commonIssueQuery, occurrencesQuery } from '../../api/queries/common-issues.ts';
import { rechecksQuery } from '../../api/queries/reports.ts';
import { plural, shortUrl } from '../../lib/formats.ts';
import { KINDS, type Kind, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { ISSUE } from '../../lib/searches.ts';
import type { Uncounted } from '../../lib/uncounted.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { buttonClass } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { DecisionLine } from '../../report/decision-line.tsx';
import { messageOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { useKind } from '../../report/use-kind.ts';
import { IssueView } from './issue-view.tsx';
import { Receipt } from './receipt.tsx';

/** An issue type of a report: its description, its fix, and its occurrences. */
export function ReportIssueScreen() {
  const { report } = useReport();
  const kind = useKind();
  const { issue: id } = usePathParams(...ISSUE);
  const { search } = useSearchState(...ISSUE);
  const issue = useQuery(commonIssueQuery(report.id, kind, id, search.muted));
  // An issue type remains available for a while after its last occurrence is fixed or muted, with counts of zero.
  const isGone = isStatus(issue.error, 404) || issue.data?.how_many === 0;
  if (isGone) return <GoneIssue key={id} kind={kind} id={id} />;
  return (
    <QueryView query={issue} isScreen>
      {(data) => <IssueView key={data.id} kind={kind} issue={data} />}
    </QueryView>
  );
}

/** Why no occurrence of an issue type counts. */
const GONE: Readonly<Record<Uncounted, string>> = {
  true: 'All occurrences are muted',
  outside_standard: 'The issue does not belong to the standard',
  not_an_error: 'This was marked “not an error”',
};

function reasonOf({ outside_standard: isOutside, verdict }: CommonIssue): Uncounted {
  if (isOutside) return 'outside_standard';
  return verdict === 'not_an_error' ? 'not_an_error' : 'true';
}

/** An issue type without occurrences that count. */
function GoneIssue({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const { report, base } = useReport();
  const muted = useQuery(commonIssueQuery(report.id, kind, id, 'all'));
  const rechecks = useQuery(rechecksQuery(report.id));
  const { path, title } = KINDS[kind];
  const list = `${base}/${path}`;
  if (muted.isPending || rechecks.isPending) return null;
  const reason = muted.data === undefined || muted.data.how_many === 0 ? null : reasonOf(muted.data);
  const recheck = rechecks.data?.items.find((each) => each.kind === kind && each.common_issue_id === id);
  const isFixed = recheck?.status.pending === 0 && (recheck.occurrences_of_issue?.fixed ?? 0) > 0;
  return (
    <>
      <PageHead
        title={muted.data !== undefined ? messageOf(muted.data) : (recheck?.message ?? 'Issue not found')}
        back={<Link to={list}>‹ {title}</Link>}
      />
      <Receipt kind={kind} issue={id} />
      {reason !== null ? null : (
        <EmptyState title={`No page of ${shortUrl(report.starting_url)} has this issue now`}>
          {isFixed ? null : <p>It was fixed or decided, its pages were deleted, or this report never had it.</p>}
          <Link to={list} className={buttonClass('main')}>
            Go to the next issue
          </Link>
        </EmptyState>
      )}
      {reason === null || muted.data === undefined ? null : (
        <Uncountable kind={kind} issue={muted.data} reason={reason} />
      )}
    </>
  );
}

/** Why the occurrences of an issue type do not count, who decided that, and where they are. */
function Uncountable({
  kind,
  issue: { id, how_many: howMany, num_web_pages: pages },
  reason,
}: {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  readonly reason: Uncounted;
}) {
  const { report, base } = useReport();
  const query = { 'filter[muted]': reason, 'page[size]': 1 };
  const sample = useQuery({
    ...occurrencesQuery({ report: report.id, kind, issue: id }, query),
    enabled: reason === 'not_an_error',
  });
  const decision = sample.data?.items[0]?.decision ?? null;
  return (
    <EmptyState title={GONE[reason]}>
      <p>
        {plural(howMany, OCCURRENCE_WORDS[kind])} on {plural(pages, 'page')}
      </p>
      {decision === null ? null : <DecisionLine kind={kind} decision={decision} />}
      <Link to={`${base}/${KINDS[kind].path}/${id}`} search={{ muted: reason }}>
        {reason === 'true' ? 'Show muted occurrences' : 'Show its occurrences'}
      </Link>
      {reason === 'true' ? <Link to={`${base}/mutings`}>View the mutings of this report</Link> : null}
    </EmptyState>
  );
}
