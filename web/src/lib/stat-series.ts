/** The statistics of a group in an interval, in the format of the API. */
export interface StatLike {
  /** The group and the interval, separated by the last slash. */
  readonly id: string;
  readonly name: string;
  /** `2026-02-09`. */
  readonly starts_on: string;
}

/** A group with its statistics for each interval, oldest first. */
export interface Group<Stat> {
  readonly key: string;
  readonly name: string;
  /** Null for intervals in which no report of the group finished. */
  readonly stats: readonly (Stat | null)[];
  /** The newest statistics. */
  readonly last: Stat;
}

/** Returns the start dates of the intervals in a list, and its groups by name. */
export function groupsOf<Stat extends StatLike>(
  list: readonly Stat[],
): { readonly intervals: readonly string[]; readonly groups: readonly Group<Stat>[] } {
  const intervals = [...new Set(list.map(({ starts_on: day }) => day))].sort();
  const byKey = Map.groupBy(list, ({ id }) => id.slice(0, id.lastIndexOf('/')));
  const groups = [...byKey].flatMap(([key, stats]) => {
    const byDay = new Map(stats.map((stat) => [stat.starts_on, stat]));
    const all = intervals.map((day) => byDay.get(day) ?? null);
    const last = all.findLast((stat) => stat !== null);
    return last == null ? [] : [{ key, name: last.name, stats: all, last }];
  });
  return { intervals, groups: groups.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)) };
}
