import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isStatus } from '../../api/errors.ts';
import { commonIssueQuery } from '../../api/queries/common-issues.ts';
import { QueryView } from '../../frame/query-view.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { useKind } from '../../frame/use-kind.ts';
import { useSearchState } from '../../frame/use-search-state.ts';
import { GoneIssue } from './gone.tsx';
import { IssueView } from './issue-view.tsx';

/** A kind of issue of a report: what it is, how to fix it, and where it occurs. */
export function ReportIssueScreen() {
  const { report } = useReport();
  const kind = useKind();
  const { issue: id = '' } = useParams({ strict: false });
  const { search } = useSearchState();
  const issue = useQuery(commonIssueQuery(report.id, kind, id, search['muted']));
  // A kind of issue whose places are fixed or muted stays for a while, with counts of zero.
  const isGone = isStatus(issue.error, 404) || issue.data?.how_many === 0;
  if (isGone) return <GoneIssue key={id} kind={kind} id={id} />;
  return <QueryView query={issue}>{(data) => <IssueView key={data.id} kind={kind} issue={data} />}</QueryView>;
}
