import type { Kind } from '../../lib/kinds.ts';
import { ISSUES, type SearchOn } from '../../lib/searches.ts';
import { SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';

const NAMES = ['text', 'tags', 'tags_mode', 'type', 'impact', 'change', 'muted'] as const;

const TAG_MODES = [
  ['all', 'all of them'],
  ['none', 'none of them'],
] as const;
const IMPACTS = [
  ['critical', 'critical'],
  ['serious', 'serious'],
  ['critical,serious', 'critical or serious'],
  ['moderate', 'moderate'],
  ['minor', 'minor'],
] as const;
const CHANGES = [
  ['new', 'new occurrences'],
  ['regressed', 'occurrences that are back'],
  ['new,regressed', 'new or back'],
  ['found_again', 'occurrences found again'],
  ['more', 'more than before'],
  ['fewer', 'fewer than before'],
  ['persisting', 'occurrences as before'],
] as const;
const MUTED = [
  ['true', 'only muted ones'],
  ['all', 'muted ones, too'],
] as const;

/** The filters of a list of issue types. */
export function IssueFilters({
  kind,
  matches,
}: {
  readonly kind: Kind;
  /** How many kinds the list contains. */
  readonly matches: string | undefined;
}) {
  const state = useSearchState(...ISSUES);
  const { search } = state;
  return (
    <SearchFilters state={state} names={NAMES} matches={matches}>
      <SearchText state={state} label="Issue" name="text" />
      <SearchText state={state} label="Tags" name="tags" />
      {search.tags?.includes(',') === true ? (
        <SearchChoice state={state} label="Match" name="tags_mode" any="any of them" choices={TAG_MODES} />
      ) : null}
      <SearchChoice
        state={state}
        label="Type"
        name="type"
        choices={[
          ['error', 'errors'],
          ['warning', kind === 'a11y' ? 'to be reviewed' : 'warnings'],
        ]}
      />
      {kind === 'a11y' ? <SearchChoice state={state} label="Impact" name="impact" choices={IMPACTS} /> : null}
      <SearchChoice state={state} label="Change" name="change" choices={CHANGES} />
      <SearchChoice state={state} label="Muted" name="muted" any="left out" choices={MUTED} />
    </SearchFilters>
  );
}

/** Whether a list is filtered by something else than what is muted. */
export function isNarrowed(search: SearchOn<(typeof ISSUES)[number]>): boolean {
  return NAMES.some((name) => name !== 'muted' && search[name] !== undefined);
}
