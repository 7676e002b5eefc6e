import type { ReactNode } from 'react';
import type { Search } from '../lib/search.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../parts/filter-bar.tsx';
import type { SearchState } from './use-search-state.ts';

/** The filters of a list whose state is in the URL. */
export function SearchFilters<State extends Search>({
  state: { search, clear },
  names,
  matches,
  children,
}: {
  readonly state: SearchState<State>;
  /** The search names that filter the list, which “Clear filters” removes. */
  readonly names: readonly (keyof State & string)[];
  /** The number of matches, such as `128 match`; absent while unknown. */
  readonly matches?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <FilterBar
      matches={matches}
      isFiltered={names.some((name) => search[name] !== undefined)}
      onClear={() => clear(names)}
    >
      {children}
    </FilterBar>
  );
}

interface SearchFilterProps<State extends Search> {
  readonly state: SearchState<State>;
  readonly label: string;
  /** The name in the search. */
  readonly name: keyof State & string;
}

/** A text filter whose value is in the URL. */
export function SearchText<State extends Search>({ state: { search, change }, label, name }: SearchFilterProps<State>) {
  return (
    <TextFilter label={label} value={search[name] ?? ''} onChange={(text) => change(name, text, { isTyping: true })} />
  );
}

/** A choice whose value is in the URL. */
export function SearchChoice<State extends Search>({
  state: { search, change },
  name,
  ...choice
}: SearchFilterProps<State> & Pick<Parameters<typeof ChoiceFilter>[0], 'choices' | 'any'>) {
  return <ChoiceFilter {...choice} value={search[name] ?? ''} onChange={(value) => change(name, value)} />;
}

const SIZES = [
  ['50', '50'],
  ['100', '100'],
] as const;

/** The number of rows per page of a list. */
export function PageSize({ state }: { readonly state: SearchState<{ readonly size?: string | undefined }> }) {
  return <SearchChoice state={state} label="Rows per page" name="size" any="25" choices={SIZES} />;
}
