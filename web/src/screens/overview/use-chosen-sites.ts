import { useRef, useState } from 'react';
import { type Item, type Query, readAll } from '../../api/client.ts';
import { useChange } from '../../live/use-change.ts';
import { isOwn, siteName } from '../../report/site-state.ts';

type Site = Item<'site'>;

/** The sites that are chosen for an action, on any page of the list. */
export interface ChosenSites {
  readonly sites: readonly Site[];
  /**
   * The selection of the rows of a table.
   * @param isStale whether the rows still match the former filters, so that they can't be chosen
   */
  selectionIn(
    rows: readonly Site[],
    isStale: boolean,
  ): {
    readonly chosen: ReadonlySet<string>;
    readonly nameOf: (id: string) => string;
    readonly canChoose: (id: string) => boolean;
    onChange(chosen: ReadonlySet<string>): void;
  };
  /** Chooses all sites that match the filters. */
  chooseAll(): Promise<void>;
  clear(): void;
}

/**
 * Remembers which sites are chosen. Other filters clear the choice: an action must not affect sites that are out of sight.
 * @param query the filters of the list
 * @param listed the sites of the list that are on the screen, which may have changed since they were chosen
 */
export function useChosenSites(query: Query, listed: readonly Site[]): ChosenSites {
  const change = useChange();
  const filters = JSON.stringify(query);
  const [choice, setChoice] = useState<{ readonly filters: string; readonly sites: ReadonlyMap<string, Site> }>({
    filters,
    sites: new Map(),
  });
  const latest = useRef(filters);
  latest.current = filters;
  const sites: ReadonlyMap<string, Site> = choice.filters === filters ? choice.sites : new Map();
  const choose = (chosen: Iterable<Site>): void => {
    setChoice({ filters, sites: new Map(Array.from(chosen, (site) => [site.id, site])) });
  };
  return {
    sites: Array.from(sites.values(), (site) => listed.find(({ id }) => id === site.id) ?? site),
    selectionIn(rows, isStale) {
      const shown = new Map(rows.map((site) => [site.id, site]));
      return {
        chosen: new Set(sites.keys()),
        nameOf(id) {
          const site = shown.get(id);
          return site === undefined ? id : siteName(site);
        },
        // A host can't change the sites of guests.
        canChoose(id) {
          const site = shown.get(id);
          return !isStale && site !== undefined && isOwn(site);
        },
        onChange: (ids) => choose([...ids].flatMap((id) => shown.get(id) ?? sites.get(id) ?? [])),
      };
    },
    async chooseAll() {
      await change(async () => {
        const all = await Array.fromAsync(readAll<'site'>('/sites', { query }));
        if (latest.current === filters) choose(all.filter(isOwn));
      });
    },
    clear: () => choose([]),
  };
}
