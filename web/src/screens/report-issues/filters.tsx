import type { Kind } from '../../lib/kinds.ts';
import { ISSUES, type SearchOn } from '../../lib/searches.ts';
import { UNCOUNTED, UNCOUNTED_NAMES } from '../../lib/uncounted.ts';
import { SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useReport } from '../../report/report-context.tsx';

const NAMES = ['text', 'tags', 'tags_mode', 'type', 'impact', 'verdict', 'change', 'muted'] as const;

const TAG_MODES = [
  ['all', 'all'],
  ['none', 'none'],
] as const;
const IMPACTS = [
  ['critical', 'critical'],
  ['serious', 'serious'],
  ['critical,serious', 'critical or serious'],
  ['moderate', 'moderate'],
  ['minor', 'minor'],
] as const;
const CHANGES = [
  ['new', 'new'],
  ['regressed', 'back'],
  ['new,regressed', 'new or back'],
  ['not_checked_before', 'not checked before'],
  ['more', 'more than before'],
  ['fewer', 'fewer than before'],
  ['persisting', 'as before'],
] as const;
const SHOWN = [...UNCOUNTED_NAMES.map((name) => [name, UNCOUNTED[name].choice] as const), ['all', 'all'] as const];
const VERDICTS = [
  ['none', 'undecided'],
  ['error', 'error'],
  ['later', 'later'],
] as const;

/** The filters of a list of issue types. */
export function IssueFilters({
  kind,
  matches,
}: {
  readonly kind: Kind;
  /** The number of issue types in the list. */
  readonly matches: string | undefined;
}) {
  const { report } = useReport();
  const state = useSearchState(...ISSUES);
  const { search } = state;
  return (
    <SearchFilters state={state} names={NAMES} matches={matches}>
      <SearchText state={state} label="Issue" name="text" />
      <SearchText state={state} label="Tags" name="tags" />
      {search.tags?.includes(',') === true ? (
        <SearchChoice state={state} label="Match" name="tags_mode" any="any" choices={TAG_MODES} />
      ) : null}
      <SearchChoice
        state={state}
        label="Type"
        name="type"
        choices={[
          ['error', 'errors'],
          ['warning', kind === 'a11y' ? 'needs review' : 'warnings'],
        ]}
      />
      {kind === 'a11y' ? <SearchChoice state={state} label="Impact" name="impact" choices={IMPACTS} /> : null}
      <SearchChoice state={state} label="Decision" name="verdict" choices={VERDICTS} />
      <SearchChoice state={state} label="Change" name="change" choices={CHANGES} />
      <SearchChoice
        state={state}
        label="Show"
        name="muted"
        any="counted"
        choices={SHOWN.filter(([name]) => name !== 'outside_standard' || (kind === 'a11y' && report.standard !== null))}
      />
    </SearchFilters>
  );
}

/** Whether a list is filtered by anything other than muting. */
export function isNarrowed(search: SearchOn<(typeof ISSUES)[number]>): boolean {
  return NAMES.some((name) => name !== 'muted' && search[name] !== undefined);
}
