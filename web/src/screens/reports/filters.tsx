import { useSearchState } from '../../frame/use-search-state.ts';
import { WhoseFilter } from '../../frame/whose-filter.tsx';
import { count } from '../../lib/formats.ts';
import type { Search } from '../../lib/search.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../../parts/filter-bar.tsx';

const STATES = [
  ['pending', 'waiting'],
  ['crawling', 'finding pages'],
  ['checking', 'checking'],
  ['finished', 'finished'],
  ['failed', 'failed'],
] as const;

const TAG_MODES = [
  ['all', 'all of them'],
  ['none', 'none of them'],
] as const;

const FILTERS = ['url', 'status', 'tags', 'by', 'schedule', 'site'] as const;

/** Whether a list of reports leaves some out. */
export function isFiltered(search: Search): boolean {
  return FILTERS.some((name) => search[name] !== undefined);
}

/** The filters of the list of reports. */
export function ReportFilters({ total }: { readonly total: number | undefined }) {
  const { search, set } = useSearchState();
  const only = search['schedule'] !== undefined ? 'one schedule' : search['site'] !== undefined ? 'one site' : null;
  const matches = total === undefined ? undefined : `${count(total)} match`;
  return (
    <FilterBar
      matches={isFiltered(search) ? (only === null ? matches : `${matches ?? ''}, only of ${only}`) : undefined}
      isFiltered={isFiltered(search)}
      onClear={() => set({ tags_mode: '', ...Object.fromEntries(FILTERS.map((name) => [name, ''])) })}
    >
      <TextFilter label="Address" value={search['url'] ?? ''} onChange={(url) => set({ url }, { isTyping: true })} />
      <TextFilter label="Tags" value={search['tags'] ?? ''} onChange={(tags) => set({ tags }, { isTyping: true })} />
      {search['tags'] === undefined ? null : (
        <ChoiceFilter
          label="With"
          value={search['tags_mode'] ?? ''}
          any="any of them"
          choices={TAG_MODES}
          onChange={(mode) => set({ tags_mode: mode })}
        />
      )}
      <ChoiceFilter
        label="State"
        value={search['status'] ?? ''}
        choices={STATES}
        onChange={(status) => set({ status })}
      />
      <WhoseFilter value={search['by'] ?? ''} onChange={(by) => set({ by })} />
    </FilterBar>
  );
}
