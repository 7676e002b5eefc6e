import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { type Item, read, readList } from '../client.ts';

/** An issue of a page, of any kind of check. */
export type PageIssueItem = Item<'html_issue'> | Item<'a11y_issue'> | Item<'link_issue'>;

/** The issues of one kind on a page. */
export interface PageIssues {
  readonly items: readonly PageIssueItem[];
  /** Number of issues that the service has; `items` are the first of them. */
  readonly total: number;
}

const listSize = 100;
/** A page of a site with more kinds of issue than this is broken as a whole. */
const issuePagesMax = 5;

/** One web page. */
export function webPageQuery(report: string, page: string) {
  return queryOptions({
    queryKey: ['report', report, 'pages', page],
    queryFn: ({ signal }) => read<'web_page'>(`/reports/${report}/web_pages/${page}`, { signal }),
  });
}

/** The issues of a page with their places: those that count, or the muted ones. */
export function pageIssuesQuery(report: string, page: string, kind: Kind, muted: boolean) {
  const path = `/reports/${report}/web_pages/${page}/${KINDS[kind].issues}`;
  return queryOptions({
    queryKey: ['report', report, 'pages', page, kind, muted],
    queryFn: async ({ signal }): Promise<PageIssues> => {
      const items: PageIssueItem[] = [];
      for (let number = 1; ; number += 1) {
        const query = { 'filter[muted]': muted, 'page[number]': number, 'page[size]': listSize };
        const list = await readList<'html_issue'>(path, { query, signal });
        items.push(...list.items);
        if (number >= Math.min(list.pages, issuePagesMax)) return { items, total: list.total };
      }
    },
  });
}

/** An issue with all its places, of which lists omit some if there are very many. */
export function pageIssueQuery(report: string, page: string, kind: Kind, issue: string) {
  const path = `/reports/${report}/web_pages/${page}/${KINDS[kind].issues}/${issue}`;
  return queryOptions({
    queryKey: ['report', report, 'pages', page, kind, 'issue', issue],
    queryFn: async ({ signal }): Promise<PageIssueItem> => read<'html_issue'>(path, { signal }),
  });
}

/** What the last re-check of a page fixed, by kind of issue. */
export function fixedIssuesQuery(report: string, page: string) {
  const path = `/reports/${report}/web_pages/${page}/fixed_issues`;
  return queryOptions({
    queryKey: ['report', report, 'pages', page, 'fixed'],
    queryFn: ({ signal }) => readList<'fixed_issue'>(path, { query: { 'page[size]': listSize }, signal }),
  });
}

/** The document of a page. */
export function sourceQuery(report: string, page: string) {
  return queryOptions({
    queryKey: ['report', report, 'pages', page, 'source'],
    queryFn: ({ signal }) => read<'web_page_source'>(`/reports/${report}/web_pages/${page}/source`, { signal }),
  });
}

/** The picture of a page. */
export function screenshotQuery(report: string, page: string) {
  return queryOptions({
    queryKey: ['report', report, 'pages', page, 'screenshot'],
    queryFn: ({ signal }) => read<'screenshot'>(`/reports/${report}/web_pages/${page}/screenshot`, { signal }),
  });
}

/** Where a page is among those of its report, in the order in which they were found. */
export interface PagePosition {
  /** From 1. */
  readonly number: number;
  readonly total: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** The position of a page; null if it is not listed. */
export function pagePositionQuery(report: string, page: string) {
  return queryOptions({
    queryKey: ['report', report, 'pages', 'position', page],
    queryFn: ({ signal }) => findPosition(report, page, signal),
    placeholderData: keepPreviousData,
    // Pages come and go rarely, and every check of the report announces a change of its pages.
    staleTime: 60_000,
  });
}

/** Reads a page of the list of pages; one that does not exist is empty. */
async function pageIds(report: string, number: number, signal: AbortSignal) {
  const query = { 'page[number]': number, 'page[size]': listSize };
  const list = await readList<'web_page'>(`/reports/${report}/web_pages`, { query, signal });
  return { ...list, ids: list.items.map(({ id }) => id) };
}

/** The list is ordered by id, so that its page with this one is found by halves: 7 requests for 10,000 pages. */
async function findPosition(report: string, page: string, signal: AbortSignal): Promise<PagePosition | null> {
  let [low, high] = [1, Number.POSITIVE_INFINITY];
  for (let at = 1; low <= high; at = (low + high) >> 1) {
    const list = await pageIds(report, at, signal);
    high = Math.min(high, list.pages);
    const index = list.ids.indexOf(page);
    if (index !== -1) return positionIn(report, list, index, signal);
    if (Number(page) > Number(list.ids.at(-1) ?? Number.POSITIVE_INFINITY)) low = at + 1;
    else high = at - 1;
  }
  return null;
}

/** The neighbors of the first and last of a page of the list are on other pages of it. */
async function positionIn(
  report: string,
  { ids, page: at, pages, total }: Awaited<ReturnType<typeof pageIds>>,
  index: number,
  signal: AbortSignal,
): Promise<PagePosition> {
  const before = index === 0 && at > 1 ? (await pageIds(report, at - 1, signal)).ids.at(-1) : ids[index - 1];
  const isLast = index === ids.length - 1;
  const after = isLast && at < pages ? (await pageIds(report, at + 1, signal)).ids[0] : ids[index + 1];
  return { number: (at - 1) * listSize + index + 1, total, previous: before ?? null, next: after ?? null };
}
