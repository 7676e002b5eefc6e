import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isStatus } from '../../../../packages/client/errors.ts';
import { commonIssueQuery } from '../../api/queries/common-issues.ts';
import { rechecksQuery } from '../../api/queries/reports.ts';
import { shortUrl } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { messageOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { useKind } from '../../report/use-kind.ts';
import { IssueView } from './issue-view.tsx';
import { Receipt } from './receipt.tsx';

/** An issue type of a report: what it is, how to fix it, and where it occurs. */
export function ReportIssueScreen() {
  const { report } = useReport();
  const kind = useKind();
  const { issue: id = '' } = useParams({ strict: false });
  const { search } = useSearchState();
  const issue = useQuery(commonIssueQuery(report.id, kind, id, search['muted']));
  // An issue type whose occurrences are fixed or muted stays for a while, with counts of zero.
  const isGone = isStatus(issue.error, 404) || issue.data?.how_many === 0;
  if (isGone) return <GoneIssue key={id} kind={kind} id={id} />;
  return (
    <QueryView query={issue} isScreen>
      {(data) => <IssueView key={data.id} kind={kind} issue={data} />}
    </QueryView>
  );
}

/** An issue type that no page of the report has any more, or only muted. */
function GoneIssue({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const { report, base } = useReport();
  const muted = useQuery(commonIssueQuery(report.id, kind, id, 'true'));
  const rechecks = useQuery(rechecksQuery(report.id));
  const { path, title } = KINDS[kind];
  const list = `${base}/${path}`;
  if (muted.isPending || rechecks.isPending) return null;
  const isMuted = muted.data !== undefined && muted.data.how_many > 0;
  const recheck = rechecks.data?.items.find((each) => each.kind === kind && each.common_issue_id === id);
  const isFixed = recheck?.status.pending === 0 && (recheck.occurrences_of_issue?.fixed ?? 0) > 0;
  return (
    <>
      <PageHead
        title={muted.data !== undefined ? messageOf(muted.data) : (recheck?.message ?? 'This issue is gone')}
        back={<Link to={list}>‹ {title}</Link>}
      />
      <Receipt kind={kind} issue={id} />
      {isMuted ? null : (
        <EmptyState title={`No page of ${shortUrl(report.starting_url)} has it now`}>
          {isFixed ? null : <p>It was fixed, its pages were deleted, or it never was in this report.</p>}
          <Link to={list} className={buttonClass('main')}>
            Go on with the next issue
          </Link>
        </EmptyState>
      )}
      {isMuted ? (
        <EmptyState title="All its occurrences are muted">
          <Link to={`${list}/${id}`} search={{ muted: 'true' }}>
            Show them
          </Link>
          <Link to={`${base}/mutings`}>See the mutings of this report</Link>
        </EmptyState>
      ) : null}
    </>
  );
}
