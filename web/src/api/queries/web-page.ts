import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { PageIssueItem } from 'sitewarden-client/occurrences';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { LIST_SIZE_MAX, type Position, pageAround, positionOf } from '../../lib/position.ts';
import type { Uncounted } from '../../lib/uncounted.ts';
import { type Query, read, readList } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** The issues that one check found on a page. */
export interface PageIssues {
  readonly items: readonly PageIssueItem[];
  /** Number of issues in the list of the service; `items` are the first of them. */
  readonly total: number;
}

/** A page with more issue types than this is broken as a whole. */
const issuePagesMax = 5;

/** A page of the list of web pages of a report. */
export function webPagesQuery(report: string, query: Query) {
  return listQuery<'web_page'>(['report', report, 'pages'], `/reports/${report}/web_pages`, query);
}

/** One web page. */
export function webPageQuery(report: string, page: string) {
  return itemQuery<'web_page'>(['report', report, 'pages', page], `/reports/${report}/web_pages/${page}`);
}

/** Which issues of a page are listed: those that count, or those that do not count for this reason. */
export type PageIssueChoice = 'false' | Uncounted;

/** The issues of a page with their occurrences: either the counted issues or others. */
export function pageIssuesQuery(report: string, page: string, kind: Kind, muted: PageIssueChoice) {
  const path = `/reports/${report}/web_pages/${page}/${KINDS[kind].issues}`;
  return queryOptions({
    queryKey: ['report', report, 'pages', page, kind, muted],
    queryFn: async ({ signal }): Promise<PageIssues> => {
      const readPage = (number: number) => {
        const query = { 'filter[muted]': muted, 'page[number]': number, 'page[size]': LIST_SIZE_MAX };
        return readList<'html_issue'>(path, { query, signal });
      };
      const first = await readPage(1);
      const others = Array.from({ length: Math.min(first.pages, issuePagesMax) - 1 }, (_, index) =>
        readPage(index + 2),
      );
      return { items: [first, ...(await Promise.all(others))].flatMap(({ items }) => items), total: first.total };
    },
  });
}

/** An issue with all its occurrences. Lists omit some of them if there are very many. */
export function pageIssueQuery(report: string, page: string, kind: Kind, issue: string) {
  const path = `/reports/${report}/web_pages/${page}/${KINDS[kind].issues}/${issue}`;
  return queryOptions({
    queryKey: ['report', report, 'pages', page, kind, 'issue', issue],
    queryFn: async ({ signal }): Promise<PageIssueItem> => read<'html_issue'>(path, { signal }),
  });
}

/** The issues that the last re-check of a page fixed, by issue type. */
export function fixedIssuesQuery(report: string, page: string) {
  const path = `/reports/${report}/web_pages/${page}/fixed_issues`;
  return queryOptions({
    queryKey: ['report', report, 'pages', page, 'fixed'],
    queryFn: ({ signal }) => readList<'fixed_issue'>(path, { query: { 'page[size]': LIST_SIZE_MAX }, signal }),
  });
}

/** The source of a page. */
export function sourceQuery(report: string, page: string) {
  const path = `/reports/${report}/web_pages/${page}/source`;
  return itemQuery<'web_page_source'>(['report', report, 'pages', page, 'source'], path);
}

/** The screenshot of a page. */
export function screenshotQuery(report: string, page: string) {
  const path = `/reports/${report}/web_pages/${page}/screenshot`;
  return itemQuery<'screenshot'>(['report', report, 'pages', page, 'screenshot'], path);
}

/** The position of a page in the list; null if it is not listed. */
export function pagePositionQuery(report: string, page: string) {
  return queryOptions({
    queryKey: ['report', report, 'pages', 'position', page],
    queryFn: ({ signal }) => findPosition(report, page, signal),
    placeholderData: keepPreviousData,
    // Pages are rarely added or deleted, but every check of the report announces a change of its pages.
    staleTime: 60_000,
  });
}

/** The list is ordered by id, so a binary search finds the list page with this id: 7 requests for 10,000 pages. */
async function findPosition(report: string, id: string, signal: AbortSignal): Promise<Position | null> {
  const read = (page: Query) => readList<'web_page'>(`/reports/${report}/web_pages`, { query: page, signal });
  let [low, high] = [1, Number.POSITIVE_INFINITY];
  for (let at = 1; low <= high; at = (low + high) >> 1) {
    const page = { 'page[number]': at, 'page[size]': LIST_SIZE_MAX };
    const list = await read(page);
    const position = positionOf(list, page, id);
    if (position !== null) {
      const around = pageAround(position.number);
      return around['page[size]'] === LIST_SIZE_MAX ? position : positionOf(await read(around), around, id);
    }
    high = Math.min(high, list.pages);
    if (Number(id) > Number(list.items.at(-1)?.id ?? Number.POSITIVE_INFINITY)) low = at + 1;
    else high = at - 1;
  }
  return null;
}
