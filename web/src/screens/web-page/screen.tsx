import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { webPageQuery } from '../../api/queries/web-page.ts';
import { QueryView } from '../../frame/query-view.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { FailedChecks } from './failed-checks.tsx';
import { PageActions } from './page-actions.tsx';
import { ReceiptLine } from './receipt-line.tsx';
import { useMutedCount, usePageIssues } from './use-page-issues.ts';
import { useRecheck } from './use-recheck.ts';
import { WebPageHead } from './web-page-head.tsx';
import { Workbench } from './workbench.tsx';

/** One page of a report: its issues, with its source and its picture. */
export function WebPageScreen() {
  const { report } = useReport();
  const { page = '' } = useParams({ strict: false });
  const query = useQuery(webPageQuery(report.id, page));
  return <QueryView query={query}>{(data) => <WebPageView key={data.id} page={data} />}</QueryView>;
}

function WebPageView({ page }: { readonly page: Item<'web_page'> }) {
  const { search } = useSearchState();
  const { isShared } = useReport();
  const isMuted = search['muted'] === 'true';
  const state = usePageIssues(page, isMuted, search['issue']);
  const muted = useMutedCount(page, !isShared && !state.isPending);
  const recheck = useRecheck(page);
  return (
    <>
      <WebPageHead page={page} actions={<PageActions page={page} recheck={recheck} />} />
      <FailedChecks page={page} />
      <ReceiptLine page={page} recheck={recheck} />
      <Workbench page={page} state={state} muted={isMuted ? null : muted} recheck={recheck} />
    </>
  );
}
