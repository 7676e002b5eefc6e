import type { Period } from '../api/queries/site-comparison.ts';
import { DayFilter } from '../parts/filter-bar.tsx';
import { ViewLinks } from '../parts/view-links.tsx';
import { SearchFilters } from './search-filters.tsx';
import type { SearchState } from './use-search-state.ts';

const dayMs = 86_400_000;

/** Chooses a period in the URL: a usual one, or from one day to another. */
export function PeriodChoice({ state }: { readonly state: SearchState }) {
  const { since, until } = state.search;
  return (
    <>
      <ViewLinks label="Period" name="since" views={presets()} current={since} drop={['until']} />
      <SearchFilters state={state} names={['since', 'until']}>
        <DayFilter
          label="Since"
          value={isDayIn(since) ? (since ?? '') : ''}
          onChange={(day) => state.set({ since: day })}
        />
        <DayFilter label="Until" value={until ?? ''} onChange={(day) => state.set({ until: day })} />
      </SearchFilters>
    </>
  );
}

/** Whether a period ends before it starts. */
export function isReversed({ since, until }: Period): boolean {
  return until !== undefined && isDayIn(since) && (since ?? '') > until;
}

function isDayIn(since: string | undefined): boolean {
  return since !== undefined && since !== 'first' && since !== 'previous';
}

/** The usual periods, which end today. Days are in UTC, as in the API. */
function presets() {
  const now = new Date();
  const daysAgo = (days: number): string => new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10);
  return [
    { value: undefined, title: 'Since the first report' },
    { value: 'previous', title: 'Since the previous report' },
    { value: daysAgo(30), title: '30 days' },
    { value: daysAgo(90), title: '90 days' },
    { value: `${now.getUTCFullYear()}-01-01`, title: 'This year' },
  ];
}
