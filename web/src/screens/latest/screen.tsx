import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isStatus } from 'sitewarden-client/errors';
import type { Item, List } from '../../api/client.ts';
import { sharedSitesQuery } from '../../api/queries/shared-sites.ts';
import { Spark } from '../../charts/spark.tsx';
import { dateTime, plural, shortUrl } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';

import { ClosedLink } from '../../report/report-context.tsx';
import { RunErrors, RunPassing } from '../../report/run-counts.tsx';
import { siteName } from '../../report/site-state.ts';
import { SharedSiteScreen } from './site-screen.tsx';

type Site = Item<'shared_site'>;

/** What a share link of a site or a tag opens: the site, or all sites with the tag. */
export function LatestScreen() {
  const { secret } = usePathParams('/latest/$secret');
  const { search } = useSearchState('/latest/$secret');
  const page = pageNumber(search.page);
  const sites = useQuery(sharedSitesQuery(secret, page === 1 ? {} : { 'page[number]': page }));
  if (isStatus(sites.error, 401)) return <ClosedLink what="site" />;
  return (
    <QueryView query={sites} isScreen>
      {(list) => {
        const [site] = list.items;
        if (list.meta.tag === null && site !== undefined) return <SharedSiteScreen secret={secret} id={site.id} />;
        return <Sites secret={secret} list={list} />;
      }}
    </QueryView>
  );
}

function Sites({ secret, list }: { readonly secret: string; readonly list: List<'shared_site'> }) {
  const { meta, items, total, page, pages } = list;
  return (
    <>
      <PageHead title={meta.tag ?? ''}>
        {plural(total, 'site')}
        {meta.shared_by === null ? '' : `, shared by ${meta.shared_by}`}
      </PageHead>
      <DataTable caption="Sites" columns={columnsOf(secret)} rows={items} keyOf={({ id }) => id} />
      <Pager page={page} pages={pages} total={total} />
    </>
  );
}

function columnsOf(secret: string): readonly Column<Site>[] {
  return [
    {
      key: 'site',
      title: 'Site',
      isMain: true,
      cell: (site) => (
        <>
          <Link to={`/latest/${secret}/${site.id}`}>{siteName(site)}</Link>{' '}
          {site.name === '' ? null : <span className="soft small">{shortUrl(site.starting_url)}</span>}
        </>
      ),
    },
    {
      key: 'last',
      title: 'Last checked',
      cell: ({ runs: [last] }) => (last === undefined ? 'not checked yet' : dateTime(last.finished_at)),
    },
    {
      key: 'errors',
      title: 'Errors',
      cell: ({ runs: [last] }) => (last === undefined ? null : <RunErrors run={last} words />),
    },
    {
      key: 'passing',
      title: 'Pages passing',
      isNumber: true,
      cell: ({ runs: [last] }) => (last === undefined ? null : <RunPassing run={last} />),
    },
    { key: 'trend', title: 'Trend', cell: (site) => <Trend site={site} /> },
  ];
}

function Trend({ site }: { readonly site: Site }) {
  const values = site.runs.map(({ errors }) => errors).reverse();
  if (values.length < 2) return null;
  return (
    <Spark
      values={values}
      label={`Errors on ${siteName(site)} in the last ${values.length} reports: ${values.join(', ')}`}
    />
  );
}
