import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { count, shortUrl } from '../../lib/formats.ts';
import { OUTCOME_WORDS } from '../../lib/outcomes.ts';
import type { Column } from '../../parts/data-table.tsx';

/** The columns of the list of URLs. */
export function urlColumns(base: string): readonly Column<Item<'discovered_url'>>[] {
  return [
    {
      key: 'url',
      title: 'URL',
      sort: 'url',
      isMain: true,
      cell: (url) => {
        const page = url.related.web_page?.split('/').at(-1);
        return page === undefined ? shortUrl(url.url) : <Link to={`${base}/pages/${page}`}>{shortUrl(url.url)}</Link>;
      },
    },
    { key: 'outcome', title: 'Outcome', cell: ({ outcome }) => OUTCOME_WORDS[outcome] },
    { key: 'detail', title: 'Why', cell: ({ detail }) => detail },
    {
      key: 'from',
      title: 'Found on',
      cell: ({ linked_from: from }) => (from === null ? 'the start' : shortUrl(from)),
    },
    { key: 'depth', title: 'Links away', isNumber: true, cell: ({ depth }) => count(depth) },
  ];
}
