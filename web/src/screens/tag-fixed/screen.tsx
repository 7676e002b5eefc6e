import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { type Period, siteComparisonQuery } from '../../api/queries/site-comparison.ts';
import { sitesQuery } from '../../api/queries/sites.ts';
import { count, dateTime, plural, shortUrl } from '../../lib/formats.ts';
import { isReversed, PeriodChoice } from '../../lists/period-choice.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ComparisonView, EndsOfPeriod } from '../../report/comparison-view.tsx';
import { siteName } from '../../report/site-state.ts';
import styles from './screen.module.css';

/** A page of the list. */
const sitesMax = 100;

interface Compared {
  readonly site: Item<'site'>;
  readonly comparison: Item<'site_comparison'>;
}

/** What was fixed on all sites with a tag, such as the sites of a client, in a period. */
export function TagFixedScreen() {
  const state = useSearchState('/fixed');
  const { tag = '' } = state.search;
  const sites = useQuery({
    ...sitesQuery({ 'filter[tags][list]': tag, sort: 'name-asc', 'page[size]': sitesMax }),
    enabled: tag !== '',
  });
  return (
    <>
      <PageHead
        title={tag === '' ? 'What was fixed' : `What was fixed for ${tag}`}
        back={
          <Link to="/" search={{ ...(tag !== '' && { tags: tag }) }} className={styles.back}>
            ‹ Overview
          </Link>
        }
        actions={<Button onClick={() => print()}>Print</Button>}
      />
      <PeriodChoice state={state} />
      {tag === '' ? <EmptyState title="Choose a tag in the overview" /> : null}
      {isReversed(state.search) ? <EmptyState title="The start date is after the end date" /> : null}
      {tag === '' || isReversed(state.search) ? null : (
        <QueryView query={sites}>
          {({ items, total }) =>
            items.length === 0 ? (
              <EmptyState title={`No site in use has the tag ${tag}`} />
            ) : (
              <Comparisons sites={items} total={total} period={state.search} />
            )
          }
        </QueryView>
      )}
    </>
  );
}

function Comparisons({
  sites,
  total,
  period: { since, until },
}: {
  readonly sites: readonly Item<'site'>[];
  readonly total: number;
  readonly period: Period;
}) {
  const queries = useQueryClient();
  const period = { since, until };
  const compared = useQuery({
    queryKey: ['sites', 'comparisons', sites.map(({ id }) => id), period],
    // One after another: a comparison that is not stored yet takes seconds.
    queryFn: async () => {
      const found: Compared[] = [];
      for (const site of sites) {
        found.push({ site, comparison: await queries.fetchQuery(siteComparisonQuery(site.id, period)) });
      }
      return found;
    },
  });
  return (
    <QueryView query={compared}>
      {(rows) => (
        <>
          <p>{sumWords(rows)}</p>
          {total > rows.length ? <p>Only the first {plural(rows.length, 'site')} by name are shown.</p> : null}
          <DataTable caption="Sites" columns={columnsOf(period)} rows={rows} keyOf={({ site }) => site.id} />
          <OnPaper rows={rows} />
        </>
      )}
    </QueryView>
  );
}

/** What was fixed on each site: only on paper, because on the screen each site leads to its own list. */
function OnPaper({ rows }: { readonly rows: readonly Compared[] }) {
  return (
    <div className="on-paper">
      {rows.map(({ site, comparison }) =>
        comparison.found === null ? null : (
          <section key={site.id} className={styles.sheet}>
            <h2>{siteName(site)}</h2>
            <p>
              {site.name === '' ? null : `${shortUrl(site.starting_url)}. `}
              <EndsOfPeriod of={comparison} />
            </p>
            <ComparisonView of={comparison} heading="h3" />
          </section>
        ),
      )}
    </div>
  );
}

/**
 * Returns the totals of the sites that have two reports: `8 sites: 268 errors then, 240 now. 52 errors fixed, 12 new or back.`
 */
function sumWords(rows: readonly Compared[]): string {
  const pairs = rows.flatMap(({ comparison: { before, now, found } }) =>
    before === null || now === null || found === null ? [] : { before, now, found },
  );
  const sum = (read: (pair: (typeof pairs)[number]) => number) => pairs.reduce((all, pair) => all + read(pair), 0);
  const [then, later] = [sum(({ before }) => before.errors), sum(({ now }) => now.errors)];
  const fixed = sum(({ found }) => found.errors.fixed);
  const added = sum(({ found }) => found.errors.new);
  if (pairs.length === 0) return 'No site has two reports in this period.';
  return `${plural(pairs.length, 'site')}: ${plural(then, 'error')} in the earlier reports, ${count(later)} in the later ones. ${plural(fixed, 'error')} fixed, ${count(added)} new or back.`;
}

function columnsOf(period: Period): readonly Column<Compared>[] {
  return [
    {
      key: 'site',
      title: 'Site',
      isMain: true,
      cell: ({ site }) => (
        <Link to={`/sites/${site.id}/fixed`} search={{ ...period }}>
          {siteName(site)}
        </Link>
      ),
    },
    {
      key: 'reports',
      title: 'Reports',
      cell: ({ comparison: { before, now } }) =>
        before === null || now === null || before.report_id === now.report_id
          ? 'only one'
          : `${dateTime(before.finished_at)} – ${dateTime(now.finished_at)}`,
    },
    {
      key: 'errors',
      title: 'Errors',
      isNumber: true,
      cell: ({ comparison: { before, now, found } }) =>
        before === null || now === null || found === null ? null : (
          <>
            {count(before.errors)} <span aria-hidden="true">→</span>
            <span className="visually-hidden">then, now</span> {count(now.errors)}
          </>
        ),
    },
    {
      key: 'fixed',
      title: 'Errors fixed',
      isNumber: true,
      cell: ({ comparison: { found } }) => (found === null ? null : count(found.errors.fixed)),
    },
    {
      key: 'new',
      title: 'Errors new or back',
      isNumber: true,
      cell: ({ comparison: { found } }) => (found === null ? null : count(found.errors.new)),
    },
  ];
}
