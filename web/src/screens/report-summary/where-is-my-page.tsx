import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { Item, List } from '../../api/client.ts';
import { discoveredUrlsQuery } from '../../api/queries/discovered-urls.ts';
import { plural } from '../../lib/formats.ts';
import { OUTCOME_WORDS } from '../../lib/outcomes.ts';
import { closestUrls, withoutFragment } from '../../lib/url-match.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';

const shownMax = 3;
/** The maximum size of a list page, from which the closest matches are chosen. */
const readMax = 100;

/** Explains for any URL why the report contains it, or why not. */
export function WhereIsMyPage() {
  const { search, set } = useSearchState('/reports/$report');
  const where = search.where;
  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    set({ where: String(new FormData(event.currentTarget).get('where')).trim() });
  };
  return (
    <section className={styles.coverage} aria-labelledby="where">
      <h2 id="where">Where is my page?</h2>
      <form className={styles.ask} onSubmit={ask}>
        <input
          key={where}
          type="search"
          name="where"
          aria-labelledby="where"
          placeholder="/opening-hours"
          defaultValue={where}
        />
        <Button type="submit">Find</Button>
      </form>
      {where === undefined ? null : <Answer where={where} />}
    </section>
  );
}

function Answer({ where }: { readonly where: string }) {
  const { report } = useReport();
  const urls = useQuery(
    discoveredUrlsQuery(report.id, { 'filter[url]': withoutFragment(where), 'page[size]': readMax, sort: 'url' }),
  );
  return (
    <div role="status">
      <QueryView query={urls} rows={1}>
        {(list) => (list.total === 0 ? <NotFound where={where} list={list} /> : <Found where={where} list={list} />)}
      </QueryView>
    </div>
  );
}

function Found({ where, list }: { readonly where: string; readonly list: List<'discovered_url'> }) {
  const { base } = useReport();
  const shown = closestUrls(list.items, where).slice(0, shownMax);
  return (
    <ul className={styles.answers}>
      {shown.map((url) => (
        <li key={url.id}>
          <UrlLine url={url} />
        </li>
      ))}
      {list.total <= shown.length ? null : (
        <li>
          <Link to={`${base}/urls`} search={{ url: where }}>
            {plural(list.total - shown.length, 'more URL contains', 'more URLs contain')} it
          </Link>
        </li>
      )}
    </ul>
  );
}

function UrlLine({ url }: { readonly url: Item<'discovered_url'> }) {
  const { base } = useReport();
  const page = url.related.web_page?.split('/').at(-1);
  return (
    <>
      {page === undefined ? <code>{url.url}</code> : <Link to={`${base}/pages/${page}`}>{url.url}</Link>}:{' '}
      {url.detail ?? `${OUTCOME_WORDS[url.outcome]}.`}
      {url.linked_from === null ? '' : ` Found on ${url.linked_from}.`}
    </>
  );
}

function NotFound({ where, list }: { readonly where: string; readonly list: List<'discovered_url'> }) {
  const { report } = useReport();
  if (list.meta.not_kept > 0) {
    return <p>No URL in the list contains “{where}”. The list is full: the site has more URLs than a report keeps.</p>;
  }
  return (
    <p>
      No checked page links to a URL that contains “{where}”. Link to it, or{' '}
      <Link to="/reports/new" search={{ from: report.id }}>
        start a report with it as an additional address
      </Link>
      .
    </p>
  );
}
