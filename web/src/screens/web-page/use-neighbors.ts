import { useQuery } from '@tanstack/react-query';
import { pagePositionQuery, webPagesQuery } from '../../api/queries/web-page.ts';
import { pageAround, positionOf } from '../../lib/position.ts';
import { pageNumber, parseSearch } from '../../lib/search.ts';
import { PAGE, PAGES, searchOn } from '../../lib/searches.ts';
import { listedPage, webPagesQueryOf } from '../../lists/list-queries.ts';
import { type Neighbors, useLastPosition } from '../../lists/neighbors.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useReport } from '../../report/report-context.tsx';

/** Finds a page in the list from which it was opened, according to the URL, or else among all pages of the report. */
export function useNeighbors(page: string): Neighbors {
  const { base, report } = useReport();
  const { search } = useSearchState(...PAGE);
  const { at, list = '' } = search;
  const filters = searchOn(PAGES[0], parseSearch(list));
  const around = pageAround(pageNumber(at));
  const listed = useQuery({
    ...webPagesQuery(report.id, { ...webPagesQueryOf(filters), ...around }),
    enabled: at !== undefined,
  });
  const found = useQuery({ ...pagePositionQuery(report.id, page), enabled: at === undefined });
  const inList = useLastPosition(list, listed.data === undefined ? null : positionOf(listed.data, around, page));
  return {
    noun: 'page',
    position: at === undefined ? (found.data ?? null) : inList,
    linkTo: (id, number) =>
      at === undefined
        ? { to: `${base}/pages/${id}`, search: {} }
        : listedPage({ base, page: id, filters, at: number }),
  };
}
