import type { ReactNode } from 'react';
import { ChoiceFilter, FilterBar, TextFilter } from '../parts/filter-bar.tsx';
import { useSearchState } from './use-search-state.ts';

/** The filters of a list whose state is in the URL. */
export function SearchFilters({
  names,
  matches,
  children,
}: {
  /** The names in the URL by which the list is filtered, and which clearing the filters removes. */
  readonly names: readonly string[];
  /** What the list contains, such as `128 match`; absent while unknown. */
  readonly matches?: string | undefined;
  readonly children: ReactNode;
}) {
  const { search, set } = useSearchState();
  return (
    <FilterBar
      matches={matches}
      isFiltered={names.some((name) => search[name] !== undefined)}
      onClear={() => set(Object.fromEntries(names.map((name) => [name, ''])))}
    >
      {children}
    </FilterBar>
  );
}

interface SearchFilterProps {
  readonly label: string;
  /** The name in the URL. */
  readonly name: string;
}

/** A text filter whose value is in the URL. */
export function SearchText({ label, name }: SearchFilterProps) {
  const { search, set } = useSearchState();
  return (
    <TextFilter
      label={label}
      value={search[name] ?? ''}
      onChange={(text) => set({ [name]: text }, { isTyping: true })}
    />
  );
}

/** A choice whose value is in the URL. */
export function SearchChoice({
  name,
  ...choice
}: SearchFilterProps & Pick<Parameters<typeof ChoiceFilter>[0], 'choices' | 'any'>) {
  const { search, set } = useSearchState();
  return <ChoiceFilter {...choice} value={search[name] ?? ''} onChange={(value) => set({ [name]: value })} />;
}

const SIZES = [
  ['50', '50'],
  ['100', '100'],
] as const;

/** How many rows a page of the list has. */
export function PageSize() {
  return <SearchChoice label="Rows a page" name="size" any="25" choices={SIZES} />;
}
