import type { useSearchState } from '../../frame/use-search-state.ts';
import type { Kind } from '../../lib/kinds.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../../parts/filter-bar.tsx';

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
  ['new', 'new'],
  ['regressed', 'back again'],
  ['new,regressed', 'new or back again'],
  ['persisting', 'as before'],
] as const;
const MUTED = [
  ['true', 'only muted ones'],
  ['all', 'muted ones, too'],
] as const;

/** The filters of a list of kinds of issue. */
export function IssueFilters({
  kind,
  state: { search, set },
  matches,
}: {
  readonly kind: Kind;
  readonly state: ReturnType<typeof useSearchState>;
  /** How many kinds the list contains. */
  readonly matches: string | undefined;
}) {
  const isFiltered = NAMES.some((name) => search[name] !== undefined);
  return (
    <FilterBar
      matches={matches}
      isFiltered={isFiltered}
      onClear={() => set(Object.fromEntries(NAMES.map((name) => [name, ''])))}
    >
      <TextFilter label="Issue" value={search['text'] ?? ''} onChange={(text) => set({ text }, { isTyping: true })} />
      <TextFilter label="Tags" value={search['tags'] ?? ''} onChange={(tags) => set({ tags }, { isTyping: true })} />
      {search['tags']?.includes(',') === true ? (
        <ChoiceFilter
          label="Match"
          value={search['tags_mode'] ?? ''}
          any="any of them"
          choices={TAG_MODES}
          onChange={(mode) => set({ tags_mode: mode })}
        />
      ) : null}
      <ChoiceFilter
        label="Type"
        value={search['type'] ?? ''}
        choices={[
          ['error', 'errors'],
          ['warning', kind === 'a11y' ? 'to be reviewed' : 'warnings'],
        ]}
        onChange={(type) => set({ type })}
      />
      {kind === 'a11y' ? (
        <ChoiceFilter
          label="Impact"
          value={search['impact'] ?? ''}
          choices={IMPACTS}
          onChange={(impact) => set({ impact })}
        />
      ) : null}
      <ChoiceFilter
        label="Change"
        value={search['change'] ?? ''}
        choices={CHANGES}
        onChange={(change) => set({ change })}
      />
      <ChoiceFilter
        label="Muted"
        value={search['muted'] ?? ''}
        any="left out"
        choices={MUTED}
        onChange={(muted) => set({ muted })}
      />
    </FilterBar>
  );
}

/** Whether a list is filtered by something else than what is muted. */
export function isNarrowed(search: Readonly<Record<string, string | undefined>>): boolean {
  return NAMES.some((name) => name !== 'muted' && search[name] !== undefined);
}
