import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Search } from '../lib/search.ts';
import type { Path, SearchOn } from '../lib/searches.ts';
import { useRouteId } from '../live/use-route.ts';

interface Options {
  /** Choices add an entry to the history; typing does not. */
  readonly isTyping?: boolean;
}

/** The state of a screen in its URL, and how to change it. An empty value removes a name. */
export interface SearchState<State extends Search = Search> {
  readonly search: State;
  set(patch: { readonly [Name in keyof State]?: string | undefined }, options?: Options): void;
  /** Changes one name. */
  change(name: keyof State & string, value: string, options?: Options): void;
  clear(names: readonly (keyof State & string)[]): void;
}

/**
 * The state of the screen in its URL. Every change except to the page number returns to the first page of the list.
 * @param paths the paths of the screen
 */
export function useSearchState<On extends Path>(...paths: readonly On[]): SearchState<SearchOn<On>> {
  const search: SearchOn<On> = useSearch({ from: useRouteId(paths) });
  const navigate = useNavigate();
  const changes = useMemo(() => {
    const set = (patch: Search, { isTyping = false }: Options = {}): void => {
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => withoutEmpty({ ...before, page: undefined, ...patch }),
        replace: isTyping,
        resetScroll: false,
      });
    };
    return {
      set,
      change: (name: string, value: string, options?: Options) => set({ [name]: value }, options),
      clear: (names: readonly string[]) => set(Object.fromEntries(names.map((name) => [name, '']))),
    };
  }, [navigate]);
  return { search, ...changes };
}

function withoutEmpty(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}
