/** What tells places apart that are read at different times. Their ids change when a page is checked again. */
interface Place {
  readonly web_page_id: string;
  readonly cluster: string | null;
  readonly selector: string | null;
  readonly markup: string;
}

/** How many places went, stayed and came. */
export interface PlaceDiff {
  readonly fixed: number;
  readonly still: number;
  readonly came: number;
}

/** Compares the places of an issue before and after its pages were checked again. Equal places of a page are counted. */
export function diffPlaces(before: readonly Place[], after: readonly Place[]): PlaceDiff {
  const left = new Map<string, number>();
  for (const place of before) left.set(keyOf(place), (left.get(keyOf(place)) ?? 0) + 1);
  let still = 0;
  for (const place of after) {
    const same = left.get(keyOf(place)) ?? 0;
    if (same === 0) continue;
    left.set(keyOf(place), same - 1);
    still += 1;
  }
  return { fixed: before.length - still, still, came: after.length - still };
}

function keyOf({ web_page_id: page, cluster, selector, markup }: Place): string {
  return JSON.stringify([page, cluster, selector, markup]);
}
