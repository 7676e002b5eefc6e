import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from '../lib/search.ts';

interface SearchState {
  readonly search: Search;
  /** Changes parts of the search; an empty value removes one. Choices make an entry in the history, typing does not. */
  set(patch: Search, options?: { readonly isTyping?: boolean }): void;
}

/** The state of the screen in its URL. Every change but one of the page itself leads back to the first page of the list. */
export function useSearchState(): SearchState {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback<SearchState['set']>(
    (patch, { isTyping = false } = {}) => {
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => withoutEmpty({ ...before, page: undefined, ...patch }),
        replace: isTyping,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { search, set };
}

function withoutEmpty(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}
