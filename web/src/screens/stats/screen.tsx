import { useQuery } from '@tanstack/react-query';
import { siteDifferences } from 'sitewarden-client/site-differences';
import type { Item, Query } from '../../api/client.ts';
import { sitesQuery } from '../../api/queries/sites.ts';
import { statsQuery } from '../../api/queries/stats.ts';
import { LineChart, SERIES_MAX } from '../../charts/line-chart.tsx';
import { count } from '../../lib/formats.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { type Group, groupsOf } from '../../lib/stat-series.ts';
import { SearchChoice, SearchFilters } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { WhoseFilter, whoseQuery } from '../../lists/whose-filter.tsx';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { DayFilter } from '../../parts/filter-bar.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { reportName } from '../../report/site-state.ts';
import { groupColumns, intervalColumns } from './columns.tsx';
import { METRICS, metricOf } from './metrics.ts';

type Stat = Item<'stat'>;

const GROUPS = [
  ['domain', 'domain'],
  ['tag', 'tag'],
] as const;

const INTERVALS = [
  ['day', 'day'],
  ['month', 'month'],
] as const;

const FILTERS = ['from', 'to', 'by'] as const;

/** The statistics of sites, domains or tags over time. */
export function StatsScreen() {
  const state = useSearchState('/stats');
  const { search, set } = state;
  const isReversed = search.from !== undefined && search.to !== undefined && search.from > search.to;
  const stats = useQuery({ ...statsQuery(queryOf(search)), enabled: !isReversed });
  const isBySite = search.group === undefined;
  const sites = useQuery({ ...sitesQuery({ ...whoseQuery(search.by), 'page[size]': 100 }), enabled: isBySite });
  const differences = siteDifferences(isBySite ? (sites.data?.items ?? []) : []);
  return (
    <>
      <PageHead title="Statistics">
        The last report of each site in each interval, with the numbers from when it ended
      </PageHead>
      <SearchFilters state={state} names={FILTERS}>
        <SearchChoice state={state} label="Group by" name="group" any="site" choices={GROUPS} />
        <SearchChoice state={state} label="Per" name="interval" any="week" choices={INTERVALS} />
        <DayFilter label="From" value={search.from ?? ''} onChange={(from) => set({ from })} />
        <DayFilter label="To" value={search.to ?? ''} onChange={(to) => set({ to })} />
        <WhoseFilter state={state} />
      </SearchFilters>
      {isReversed ? (
        <EmptyState title="The start date is after the end date" />
      ) : (
        <QueryView query={stats}>
          {({ items, total }) =>
            items.length === 0 ? (
              <NoStats />
            ) : (
              <>
                {total > items.length ? (
                  <p>
                    Showing the newest {count(items.length)} of {count(total)} entries.
                  </p>
                ) : null}
                <Stats stats={items} differences={differences} isStale={stats.isPlaceholderData} />
              </>
            )
          }
        </QueryView>
      )}
    </>
  );
}

function queryOf(search: SearchOn<'/stats'>): Query {
  return {
    group: search.group,
    interval: search.interval,
    'filter[from]': search.from,
    'filter[to]': search.to,
    ...whoseQuery(search.by),
  };
}

function Stats({
  stats,
  differences,
  isStale,
}: {
  readonly stats: readonly Stat[];
  /** The differences between sites with the same starting URL, by id. */
  readonly differences: ReadonlyMap<string, string>;
  readonly isStale: boolean;
}) {
  const state = useSearchState('/stats');
  const { search } = state;
  const { intervals, groups } = groupsOf(stats);
  const metric = metricOf(search.show);
  const charted = groups.toSorted((a, b) => b.last.web_pages - a.last.web_pages).slice(0, SERIES_MAX);
  const nameOf = ({ key, name: url, last: { site_name } }: Group<Stat>): string => {
    const difference = differences.get(key);
    const name = reportName({ site_name, starting_url: url });
    return difference === undefined ? name : `${name} (${difference})`;
  };
  return (
    <>
      <Section title="Over time">
        <SearchChoice
          state={state}
          label="Show"
          name="show"
          any={METRICS.passing.title}
          choices={[
            ['errors', METRICS.errors.title],
            ['pages', METRICS.pages.title],
          ]}
        />
        <LineChart
          title={`${metric.title} over time. The tables below contain the numbers`}
          labels={intervals.map((day) => intervalName(day, stats))}
          series={charted.map((group) => ({
            key: group.key,
            name: nameOf(group),
            values: group.stats.map((stat) => stat && metric.read(stat)),
          }))}
          {...(metric.most !== undefined && { most: metric.most })}
        />
        {groups.length > charted.length ? (
          <p>
            The chart shows the {SERIES_MAX} groups with the most pages. The table shows all {count(groups.length)}.
          </p>
        ) : null}
      </Section>
      <Section title="Latest">
        <DataTable
          caption="Latest statistics"
          columns={groupColumns(metric, nameOf)}
          rows={groups}
          keyOf={({ key }) => key}
          isStale={isStale}
        />
      </Section>
      <Section title="By interval">
        <DataTable
          caption={`${metric.title}, by interval`}
          columns={intervalColumns(
            charted.map((group) => ({ key: group.key, name: nameOf(group) })),
            metric,
          )}
          rows={intervals
            .map((day, index) => ({
              day,
              name: intervalName(day, stats),
              stats: new Map(charted.map((group) => [group.key, group.stats[index] ?? null])),
            }))
            .reverse()}
          keyOf={({ day }) => day}
          isStale={isStale}
        />
      </Section>
    </>
  );
}

function intervalName(day: string, stats: readonly Stat[]): string {
  return stats.find(({ starts_on: first }) => first === day)?.interval ?? day;
}

function NoStats() {
  const { set } = useSearchState('/stats');
  const year = new Date();
  year.setUTCFullYear(year.getUTCFullYear() - 1);
  return (
    <EmptyState title="No reports finished in this period">
      <p>Choose a longer range.</p>
      <Button onClick={() => set({ from: year.toISOString().slice(0, 10), to: '', interval: 'month' })}>
        Show the last 12 months
      </Button>
    </EmptyState>
  );
}
