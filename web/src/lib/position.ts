/** Where a thing is in a list, and what is beside it. */
export interface Position {
  /** From 1. */
  readonly number: number;
  readonly total: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** The longest page of a list. */
export const LIST_SIZE_MAX = 100;

type PageOfList = { readonly 'page[number]': number; readonly 'page[size]': number };

/**
 * Returns the page of a list that has a thing together with both its neighbors: the longest for which they are not apart.
 * @param at the position of the thing, from 1
 */
export function pageAround(at: number): PageOfList {
  const numberOf = (row: number, size: number): number => Math.floor(row / size) + 1;
  const first = Math.max(at - 2, 0);
  let size = LIST_SIZE_MAX;
  while (numberOf(first, size) !== numberOf(at, size)) size -= 1;
  return { 'page[number]': numberOf(at, size), 'page[size]': size };
}

/** Returns where a thing is in a list, of which one page is known; null if it is not on that page. */
export function positionOf(
  { items, total }: { readonly items: readonly { readonly id: string }[]; readonly total: number },
  page: PageOfList,
  id: string,
): Position | null {
  const index = items.findIndex((item) => item.id === id);
  if (index === -1) return null;
  const number = (page['page[number]'] - 1) * page['page[size]'] + index + 1;
  return { number, total, previous: items[index - 1]?.id ?? null, next: items[index + 1]?.id ?? null };
}
