import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { hasPro } from 'sitewarden-client/report-defaults';
import { siteDifferences } from 'sitewarden-client/site-differences';
import type { Item, List, Query } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { reportsQuery } from '../../api/queries/reports.ts';
import { sitesQuery, siteTagsQuery } from '../../api/queries/sites.ts';
import { count, plural } from '../../lib/formats.ts';
import { items as itemsOf, pageNumber } from '../../lib/search.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { WhoseFilter, whoseQuery } from '../../lists/whose-filter.tsx';
import { countsCredits } from '../../live/destinations.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SeverityLegend } from '../../parts/severity.tsx';
import { isRunning, siteName } from '../../report/site-state.ts';
import { namesOf, useRunSites } from '../../report/use-run-again.ts';
import bulk from './bulk.module.css';
import { BulkResult, type BulkResultOf } from './bulk-result.tsx';
import { CheckASite } from './check-a-site.tsx';
import { ChosenActions } from './chosen-actions.tsx';
import { siteColumns } from './columns.tsx';
import { RunTagged } from './run-tagged.tsx';
import styles from './screen.module.css';
import { StandardQuestion } from './standard-question.tsx';
import { TagGroups } from './tag-groups.tsx';
import { type ChosenSites, useChosenSites } from './use-chosen-sites.ts';

const FILTERS = ['text', 'tags', 'need', 'archived', 'by'] as const;

const NEEDS = [
  ['any', 'needs attention'],
  ['failed', 'run failed'],
  ['new_critical', 'critical errors new or back'],
  ['new_errors', 'errors new or back'],
  ['no_credits', 'out of credits'],
  ['broken_pages', 'pages broke'],
  ['not_passed', 'did not pass'],
  ['has_errors', 'has errors'],
  ['none', 'needs no attention'],
] as const;

/** The choices if nothing costs credits. */
const OTHER_NEEDS = NEEDS.filter(([need]) => need !== 'no_credits');

const GROUPS = [['tag', 'tag']] as const;

const ARCHIVED = [
  ['true', 'archived'],
  ['all', 'all'],
] as const;

/** All sites, sites that need attention first. */
export function OverviewScreen() {
  const state = useSearchState('/');
  const { search } = state;
  const account = useQuery(accountQuery);
  const sites = useQuery(sitesQuery(queryOf(search)));
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const isEmpty = !isFiltered && sites.data?.total === 0;
  const archived = useQuery({ ...sitesQuery({ 'filter[archived]': 'true', 'page[size]': 1 }), enabled: isEmpty });
  const areArchived = isEmpty && (archived.data?.total ?? 0) > 0;
  const isKnown = sites.data !== undefined && !(isEmpty && archived.isLoading);
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <>
            <TagLinks tags={search.tags} />
            <Link to="/sites/new" className={buttonClass()}>
              New site
            </Link>
          </>
        }
      >
        {sites.data === undefined ? null : <Needs sites={sites.data} query={filtersOf(search)} />}
      </PageHead>
      <StandardQuestion account={account.data} />
      {account.data === undefined || !isKnown ? null : (
        <CheckASite account={account.data} isFirst={isEmpty && !areArchived} />
      )}
      {isFiltered || areArchived || (sites.data?.total ?? 0) > 0 ? (
        <SearchFilters
          state={state}
          names={FILTERS}
          matches={
            isFiltered && sites.data !== undefined && !sites.isPlaceholderData
              ? `${count(sites.data.total)} match`
              : undefined
          }
        >
          <SearchText state={state} label="Name or address" name="text" />
          <SearchText state={state} label="Tags" name="tags" />
          <SearchChoice
            state={state}
            label="Status"
            name="need"
            choices={account.data !== undefined && countsCredits(account.data) ? NEEDS : OTHER_NEEDS}
          />
          <SearchChoice state={state} label="Show" name="archived" any="in use" choices={ARCHIVED} />
          <WhoseFilter state={state} />
          <SearchChoice state={state} label="Group by" name="group" any="nothing" choices={GROUPS} />
        </SearchFilters>
      ) : null}
      <QueryView query={sites}>
        {(list) => (
          <Sites
            list={list}
            isStale={sites.isPlaceholderData}
            empty={
              isFiltered ? (
                <EmptyState title="No sites match the filters" />
              ) : areArchived ? (
                <EmptyState title="All sites are archived" />
              ) : null
            }
          />
        )}
      </QueryView>
    </>
  );
}

/** Links to what was fixed on the sites with the tag by which the list is filtered, and to their share links. */
function TagLinks({ tags = '' }: { readonly tags: string | undefined }) {
  const [tag, ...others] = itemsOf(tags).map((each) => each.trim());
  if (tag === undefined || others.length > 0) return null;
  return (
    <>
      <Link to="/fixed" search={{ tag }} className={buttonClass()}>
        What was fixed for {tag}
      </Link>
      <Link to="/sharing" search={{ tag }} className={buttonClass()}>
        Share sites tagged {tag}
      </Link>
    </>
  );
}

/** The filters of the list as API parameters. */
function filtersOf(search: SearchOn<'/'>): Query {
  return {
    'filter[text]': search.text,
    'filter[archived]': search.archived,
    'filter[tags][list]': search.tags,
    'filter[attention]': search.need,
    ...whoseQuery(search.by),
  };
}

function queryOf(search: SearchOn<'/'>): Query {
  return {
    ...filtersOf(search),
    sort: search.sort,
    'page[number]': pageNumber(search.page),
    'page[size]': 100,
  };
}

/** The number of sites that need attention. */
function Needs({ sites: { items, total, pages }, query }: { readonly sites: List<'site'>; readonly query: Query }) {
  const tags = useQuery({ ...siteTagsQuery({ ...query, 'page[size]': 1 }), enabled: pages > 1 });
  const needing =
    pages > 1
      ? tags.data?.meta.sums.num_needing_attention
      : items.filter(({ attention }) => attention !== 'none').length;
  if (total === 0) return null;
  return (
    <span>
      {plural(total, 'site')}
      {needing === undefined
        ? ''
        : needing === 0
          ? ', none need attention'
          : `, ${count(needing)} ${needing === 1 ? 'needs' : 'need'} attention`}
    </span>
  );
}

function Sites({
  list,
  isStale,
  empty,
}: {
  readonly list: List<'site'>;
  readonly isStale: boolean;
  /** Content in place of an empty list. */
  readonly empty: ReactNode;
}) {
  const { search } = useSearchState('/');
  const account = useQuery(accountQuery);
  const chosen = useChosenSites(filtersOf(search), list.items);
  const [result, setResult] = useState<BulkResultOf | null>(null);
  const scope = useRef<HTMLDivElement>(null);
  const toggle = (): void => {
    scope.current?.querySelector<HTMLElement>('tr:focus-within input[type="checkbox"]')?.click();
  };
  useRowKeys(scope, [{ key: 'x', title: 'Select row', run: toggle }]);
  const canRun = search.by === undefined && search.archived === undefined;
  return (
    <div ref={scope}>
      <RunFailedAgain sites={list.items} />
      {canRun && search.tags !== undefined && search.group === undefined && list.total > 0 ? (
        <p className={bulk.tagged}>
          <RunTagged tags={search.tags} search={search} total={list.total} onDone={setResult} />
        </p>
      ) : null}
      {list.total === 0 ? (
        empty
      ) : search.group === undefined ? (
        <>
          <SitesTable caption="Sites" list={list} isStale={isStale} chosen={chosen} />
          <Pager page={list.page} pages={list.pages} total={list.total} />
        </>
      ) : (
        <TagGroups
          query={filtersOf(search)}
          tags={tagsIn(search.tags)}
          head={(tag, total) =>
            canRun ? <RunTagged tags={tag} search={search} total={total} onDone={setResult} /> : null
          }
          renderSites={(sites, table) => <SitesTable {...table} list={sites} chosen={chosen} />}
        />
      )}
      <div className={bulk.foot}>
        <BulkResult result={result} onClose={() => setResult(null)} />
        {chosen.sites.length > 0 && account.data !== undefined ? (
          <ChosenActions account={account.data} chosen={chosen} total={list.total} onDone={setResult} />
        ) : null}
      </div>
      {list.total === 0 ? null : <SeverityLegend of={['error', 'critical']} />}
    </div>
  );
}

function tagsIn(text = ''): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim().toLowerCase())
    .filter((tag) => tag !== '');
}

function SitesTable({
  caption,
  list,
  isStale,
  chosen,
}: {
  readonly caption: string;
  readonly list: List<'site'>;
  readonly isStale: boolean;
  readonly chosen: ChosenSites;
}) {
  const { search, set } = useSearchState('/');
  const account = useQuery(accountQuery);
  const runSites = useRunSites();
  const running = useRunning(list.items.some(isRunning), whoseQuery(search.by));
  return (
    <div className={styles.sites}>
      <DataTable
        caption={caption}
        columns={siteColumns({
          running,
          differences: siteDifferences(list.items),
          canSchedule: account.data !== undefined && hasPro(account.data),
          onRunAgain: (site) => void runSites([site]),
        })}
        rows={list.items}
        keyOf={({ id }) => id}
        sort={search.sort ?? 'attention'}
        onSort={(sort) => set({ sort: sort === 'attention' ? '' : sort })}
        selection={chosen.selectionIn(list.items, isStale)}
        isStale={isStale}
      />
    </div>
  );
}

/** The running reports, by id. */
function useRunning(isNeeded: boolean, whose: Query): ReadonlyMap<string, Item<'report'>> {
  const states = ['crawling', 'checking'].map((status) => ({ ...whose, 'filter[status]': status, 'page[size]': 100 }));
  const [crawling = {}, checking = {}] = states;
  const lists = [
    useQuery({ ...reportsQuery(crawling), enabled: isNeeded }),
    useQuery({ ...reportsQuery(checking), enabled: isNeeded }),
  ];
  return new Map(lists.flatMap(({ data }) => data?.items ?? []).map((report) => [report.id, report]));
}

/** Reruns all sites whose last run failed. */
function RunFailedAgain({ sites }: { readonly sites: readonly Item<'site'>[] }) {
  const runSites = useRunSites();
  const [isAsked, setAsked] = useState(false);
  const failed = sites.filter((site) => site.attention === 'failed' && !isRunning(site));
  const run = (): void => {
    setAsked(false);
    void runSites(failed);
  };
  if (failed.length < 2 && !isAsked) return null;
  return (
    <p>
      <Button onClick={() => setAsked(true)}>
        {failed.length === 2 ? 'Run both failed sites again' : `Run all ${plural(failed.length, 'failed site')} again`}
      </Button>
      <Dialog
        title={`Run ${plural(failed.length, 'failed site')} again?`}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        actions={
          <>
            <Button onClick={() => setAsked(false)}>Cancel</Button>
            <Button look="main" onClick={run}>
              Run {count(failed.length)} again
            </Button>
          </>
        }
      >
        <p>{namesOf(failed.map(siteName))}</p>
      </Dialog>
    </p>
  );
}
