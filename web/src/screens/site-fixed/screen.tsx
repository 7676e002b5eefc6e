import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { API } from 'sitewarden-client';
import { comparisonFile, type Period, siteComparisonQuery } from '../../api/queries/site-comparison.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { shortUrl } from '../../lib/formats.ts';
import { isReversed, PeriodChoice } from '../../lists/period-choice.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { Button } from '../../parts/button.tsx';
import { MENU_ITEM, Menu } from '../../parts/menu.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { type Comparison, ComparisonView, EndsOfPeriod } from '../../report/comparison-view.tsx';
import { siteName } from '../../report/site-state.ts';
import styles from './screen.module.css';

const FORMATS = { html: 'Web page', csv: 'CSV', md: 'Markdown' } as const;

/** What was fixed on a site in a period, to print or to send. */
export function SiteFixedScreen() {
  const { site: id } = usePathParams('/sites/$site/fixed');
  const state = useSearchState('/sites/$site/fixed');
  const { search } = state;
  const site = useQuery(siteQuery(id));
  const comparison = useQuery({ ...siteComparisonQuery(id, search), enabled: !isReversed(search) });
  const name = site.data === undefined ? 'Site' : siteName(site.data);
  return (
    <>
      <PageHead
        title={site.data === undefined ? 'What was fixed' : `What was fixed on ${name}`}
        back={
          <Link to={`/sites/${id}`} className={styles.back}>
            ‹ {name}
          </Link>
        }
        actions={
          <>
            <Download site={id} period={search} />
            <Button onClick={() => print()}>Print</Button>
          </>
        }
      >
        {site.data === undefined || site.data.name === '' ? null : shortUrl(site.data.starting_url)}
      </PageHead>
      <PeriodChoice state={state} />
      {isReversed(search) ? (
        <EmptyState title="The start date is after the end date" />
      ) : (
        <QueryView query={comparison}>{(data) => <Compared comparison={data} />}</QueryView>
      )}
    </>
  );
}

function Compared({ comparison }: { readonly comparison: Comparison }) {
  const { before, now, found } = comparison;
  return (
    <>
      <div className={styles.ends}>
        <p>
          <EndsOfPeriod of={comparison} />
        </p>
        {found === null ? null : (
          <Link to={`/reports/${now?.report_id}/changes`} search={{ with: before?.report_id }} className={styles.more}>
            Every change
          </Link>
        )}
      </div>
      <ComparisonView of={comparison} />
    </>
  );
}

function Download({ site, period }: { readonly site: string; readonly period: Period }) {
  return (
    <Menu label="Download">
      {Object.entries(FORMATS).map(([format, title]) => (
        <a key={format} {...MENU_ITEM} href={API + comparisonFile(site, period, format)} download>
          {title}
        </a>
      ))}
    </Menu>
  );
}
