/** The position of an item in a list, and its neighbors. */
export interface Position {
  /** From 1. */
  readonly number: number;
  readonly total: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** The maximum size of a list page. */
export const LIST_SIZE_MAX = 100;

type PageOfList = { readonly 'page[number]': number; readonly 'page[size]': number };

/**
 * Returns the largest list page that contains an item together with both its neighbors.
 * @param at the position of the item, from 1
 */
export function pageAround(at: number): PageOfList {
  const numberOf = (row: number, size: number): number => Math.floor(row / size) + 1;
  const first = Math.max(at - 2, 0);
  let size = LIST_SIZE_MAX;
  while (numberOf(first, size) !== numberOf(at, size)) size -= 1;
  return { 'page[number]': numberOf(at, size), 'page[size]': size };
}

/** Returns the position of an item in a list of which one page is known; null if it is not on that page. */
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
