import { REPORT_STATUSES } from 'sitewarden-client/values';
import { count } from '../../lib/formats.ts';
import type { SearchOn } from '../../lib/searches.ts';
import { SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { WhoseFilter } from '../../lists/whose-filter.tsx';

const STATUS_WORDS: Readonly<Record<(typeof REPORT_STATUSES)[number], string>> = {
  pending: 'waiting',
  crawling: 'finding pages',
  checking: 'checking',
  finished: 'finished',
  failed: 'failed',
};
const STATUSES = REPORT_STATUSES.map((status) => [status, STATUS_WORDS[status]] as const);

const TAG_MODES = [
  ['all', 'all'],
  ['none', 'none'],
] as const;

const FILTERS = ['url', 'status', 'tags', 'by', 'schedule', 'site'] as const;

/** Whether a list of reports is filtered. */
export function isFiltered(search: SearchOn<'/reports'>): boolean {
  return FILTERS.some((name) => search[name] !== undefined);
}

/** The filters of the list of reports. */
export function ReportFilters({ total }: { readonly total: number | undefined }) {
  const state = useSearchState('/reports');
  const { search } = state;
  const only = search.schedule !== undefined ? 'one schedule' : search.site !== undefined ? 'one site' : null;
  const matches = total === undefined ? undefined : `${count(total)} match`;
  return (
    <SearchFilters
      state={state}
      names={[...FILTERS, 'tags_mode']}
      matches={isFiltered(search) ? (only === null ? matches : `${matches ?? ''}, ${only} only`) : undefined}
    >
      <SearchText state={state} label="Address" name="url" />
      <SearchText state={state} label="Tags" name="tags" />
      {search.tags === undefined ? null : (
        <SearchChoice state={state} label="Match" name="tags_mode" any="any" choices={TAG_MODES} />
      )}
      <SearchChoice state={state} label="Status" name="status" choices={STATUSES} />
      <WhoseFilter state={state} />
    </SearchFilters>
  );
}
