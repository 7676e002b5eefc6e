import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { List } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { schedulesQuery } from '../../api/queries/schedules.ts';
import { count } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { type SearchState, useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useScheduleChanges } from '../../report/use-schedule-changes.ts';
import { scheduleColumns } from './columns.tsx';
import styles from './screen.module.css';

const FILTERS = ['text', 'tags', 'active'] as const;

const STATES = [
  ['true', 'on'],
  ['false', 'off'],
] as const;

/** All schedules of the account. */
export function SchedulesScreen() {
  const state = useSearchState('/schedules');
  const { search } = state;
  const account = useQuery(accountQuery);
  const isFree = account.data !== undefined && !hasPro(account.data);
  const schedules = useQuery({
    ...schedulesQuery({
      'filter[text]': search.text,
      'filter[tags][list]': search.tags,
      'filter[active]': search.active,
      sort: search.sort,
      'page[number]': pageNumber(search.page),
      'page[size]': search.size ?? 50,
    }),
    enabled: !isFree,
  });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const isAny = isFiltered || (schedules.data?.total ?? 0) > 0;
  if (isFree) return <NoPlan />;
  return (
    <>
      <PageHead
        title="Schedules"
        actions={
          isAny ? (
            <Link to="/schedules/new" className={buttonClass('main')}>
              New schedule
            </Link>
          ) : null
        }
      />
      {isAny ? <ScheduleFilters state={state} isFiltered={isFiltered} total={schedules.data?.total} /> : null}
      <QueryView query={schedules}>
        {(list) =>
          list.items.length > 0 ? (
            <Schedules list={list} isStale={schedules.isPlaceholderData} />
          ) : isFiltered ? (
            <EmptyState title="No schedules match the filters" />
          ) : (
            <NoSchedules />
          )
        }
      </QueryView>
    </>
  );
}

function ScheduleFilters({
  state,
  isFiltered,
  total,
}: {
  readonly state: SearchState<SearchOn<'/schedules'>>;
  readonly isFiltered: boolean;
  readonly total: number | undefined;
}) {
  return (
    <SearchFilters
      state={state}
      names={FILTERS}
      matches={isFiltered && total !== undefined ? `${count(total)} match` : undefined}
    >
      <SearchText state={state} label="Name or address" name="text" />
      <SearchText state={state} label="Tags" name="tags" />
      <SearchChoice state={state} label="Status" name="active" choices={STATES} />
    </SearchFilters>
  );
}

function Schedules({ list, isStale }: { readonly list: List<'schedule'>; readonly isStale: boolean }) {
  const scope = useRef<HTMLDivElement>(null);
  useRowKeys(scope);
  const changes = useScheduleChanges();
  const { search, set } = useSearchState('/schedules');
  return (
    <div ref={scope}>
      <DataTable
        caption="Schedules"
        columns={scheduleColumns(changes)}
        rows={list.items}
        keyOf={({ id }) => id}
        sort={search.sort}
        onSort={(sort) => set({ sort })}
        isStale={isStale}
      />
      <Pager page={list.page} pages={list.pages} total={list.total} />
    </div>
  );
}

function NoPlan() {
  return (
    <>
      <PageHead title="Schedules" />
      <EmptyState title="Your plan does not include schedules">
        <p>
          A schedule checks a site on certain days, or when its deploy hook is called. The operator of this installation
          can change your plan.
        </p>
      </EmptyState>
    </>
  );
}

const EXAMPLES = [
  ['week', 'Every week'],
  ['day', 'Every day'],
  ['deploy', 'After each deployment'],
] as const;

function NoSchedules() {
  return (
    <EmptyState title="No schedules yet">
      <p>A schedule checks a site on certain days, or when its deploy hook is called. For example:</p>
      <ul className={styles.examples}>
        {EXAMPLES.map(([every, title]) => (
          <li key={every}>
            <Link to="/schedules/new" search={{ every }} className={buttonClass()}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}
