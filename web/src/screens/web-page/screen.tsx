import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type SeenPage, seenWords } from 'sitewarden-client/seen-as';
import type { Item } from '../../api/client.ts';
import { webPageQuery } from '../../api/queries/web-page.ts';
import { dateTime, pathOf, shortUrl } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../lib/kinds.ts';
import { parseSearch } from '../../lib/search.ts';
import { PAGE } from '../../lib/searches.ts';
import { size } from '../../lib/sizes.ts';
import { uncountedIn } from '../../lib/uncounted.ts';
import { NeighborLinks } from '../../lists/neighbors.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useReport } from '../../report/report-context.tsx';
import { FailedChecks } from './failed-checks.tsx';
import { PageActions } from './page-actions.tsx';
import { ReceiptLine } from './receipt-line.tsx';
import styles from './screen.module.css';
import { useNamedOccurrence } from './use-named-occurrence.ts';
import { useNeighbors } from './use-neighbors.ts';
import { usePageIssues, useUncountedIssues } from './use-page-issues.ts';
import { useRecheck } from './use-recheck.ts';
import { Workbench } from './workbench.tsx';

/** One page of a report: its issues, with its source and its screenshot. */
export function WebPageScreen() {
  const { report } = useReport();
  const { page } = usePathParams(...PAGE);
  const query = useQuery(webPageQuery(report.id, page));
  return (
    <QueryView query={query} isScreen>
      {(data) => <WebPageView key={data.id} page={data} />}
    </QueryView>
  );
}

function WebPageView({ page }: { readonly page: Item<'web_page'> }) {
  const { search } = useSearchState(...PAGE);
  const { isShared } = useReport();
  const choice = uncountedIn(search.muted) ?? 'false';
  const state = usePageIssues(page, choice, useNamedOccurrence(page.id).issue);
  const uncounted = useUncountedIssues(page, !isShared && !state.isPending);
  const recheck = useRecheck(page);
  return (
    <>
      <WebPageHead page={page} actions={<PageActions page={page} recheck={recheck} />} />
      <FailedChecks page={page} />
      <ReceiptLine page={page} issues={state.issues} recheck={recheck} />
      <Workbench page={page} state={state} choice={choice} uncounted={uncounted} recheck={recheck} />
    </>
  );
}

/** The time since which nothing that the result of a check depends on has changed, if the result was reused. */
function UnchangedSince({ kind, page }: { readonly kind: Kind; readonly page: Item<'web_page'> }) {
  const { title, check } = KINDS[kind];
  const reused = page[check]?.reused_from;
  return reused == null ? null : (
    <span>
      {title}: unchanged since {dateTime(reused.checked_at)}
    </span>
  );
}

/** Returns what the accessibility check did on a page: the states it opened, and its choice in a consent banner. */
function seenBy({ a11y_check: check }: Item<'web_page'>): Pick<SeenPage, 'opened_states' | 'consent'> {
  return { opened_states: check?.opened_states, consent: check?.consent };
}

/** Whether a page is a mark that its journey has not reached. */
function isMissed({ reached_url: reachedUrl, is_rendered_dom: isReached }: Item<'web_page'>): boolean {
  return reachedUrl !== null && !isReached;
}

/** Where a journey was at a mark, or when it failed. */
function ReachedBy({ page, reachedUrl }: { readonly page: Item<'web_page'>; readonly reachedUrl: string }) {
  const at = pathOf(reachedUrl);
  if (!isMissed(page)) return <span>the rendered DOM of {at}</span>;
  const missed = page.journey_step === null ? 'its end' : 'this mark';
  return (
    <span>
      the journey “{page.journey}” stopped at {at} before {missed}
    </span>
  );
}

/** The address of a page, its HTTP status, and links to its neighbors. */
function WebPageHead({ page, actions }: { readonly page: Item<'web_page'>; readonly actions: ReactNode }) {
  const { base, isShared } = useReport();
  const { search } = useSearchState(...PAGE);
  const neighbors = useNeighbors(page.id);
  const path = pathOf(page.url);
  return (
    <PageHead
      title={path === '/' ? shortUrl(page.url) : path}
      back={
        <div className={styles.back}>
          <Link to={`${base}/pages`} search={parseSearch(search.list ?? '')}>
            ‹ Pages
          </Link>
          <NeighborLinks neighbors={neighbors} />
        </div>
      }
      actions={actions}
    >
      <span className={styles.facts}>
        {page.title === null ? null : <span>“{page.title}”</span>}
        {page.reached_url === null ? null : <ReachedBy page={page} reachedUrl={page.reached_url} />}
        {page.http_status === null && page.reached_url !== null ? null : (
          <span>{page.http_status === null ? 'no response' : `status ${page.http_status}`}</span>
        )}
        {KIND_NAMES.map((kind) => (
          <UnchangedSince key={kind} kind={kind} page={page} />
        ))}
        {isMissed(page) ? null : (
          <span>
            {page.status === 'checked' ? 'checked: ' : ''}
            {seenWords({ ...page, ...seenBy(page) }).join(', ')}
          </span>
        )}
        {page.linked_from === null ? null : <span>found on {pathOf(page.linked_from)}</span>}
        {page.same_document_as === undefined ? null : (
          <span>
            the same document as{' '}
            <Link to={`${base}/pages/${page.same_document_as.web_page_id}`}>{pathOf(page.same_document_as.url)}</Link>
          </span>
        )}
        {isShared || page.size === undefined ? null : (
          <span>takes up {size(page.size.results + page.size.document + page.size.screenshots)}</span>
        )}
      </span>
    </PageHead>
  );
}
