import { ChoiceFilter } from './filter-bar.tsx';

const SIZES = [
  ['50', '50'],
  ['100', '100'],
] as const;

/** How many rows a page of a list has. */
export function PageSize({ size, onChange }: { readonly size: string; readonly onChange: (size: string) => void }) {
  return <ChoiceFilter label="Rows a page" value={size} any="25" choices={SIZES} onChange={onChange} />;
}
