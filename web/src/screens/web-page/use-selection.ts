import { useEffect, useRef } from 'react';
import { PAGE } from '../../lib/searches.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useNarrow } from '../../live/use-narrow.ts';
import type { Occurrence, PageIssue } from './page-issues.ts';
import { useNamedOccurrence } from './use-named-occurrence.ts';
import { useCommonFingerprint } from './use-page-issues.ts';

/** The views of a page next to its issues. On a phone, the issues are another view. */
export type PageView = 'issues' | 'source' | 'screenshot' | 'markup';

/** The selection on the screen of a page. It is in the URL. */
export interface Selection {
  readonly view: PageView;
  readonly issue: PageIssue | undefined;
  readonly occurrence: Occurrence | undefined;
  setView(view: PageView): void;
  select(issue: PageIssue, occurrence?: Occurrence): void;
  /** Goes to the next or previous issue. */
  stepIssue(step: 1 | -1): void;
  /** Goes to the next or previous occurrence, across issues. */
  stepOccurrence(step: 1 | -1): void;
}

/** Reads and changes the selection. */
export function useSelection(page: string, issues: readonly PageIssue[], shown: readonly PageIssue[]): Selection {
  const { search, set } = useSearchState(...PAGE);
  const isNarrow = useNarrow();
  const view = viewOf(search.view, isNarrow);
  const { issue: key, occurrence: number, isLoading } = useNamedOccurrence(page);
  const named = issues.find((each) => each.key === key);
  const fingerprint = useCommonFingerprint(named === undefined && !isLoading ? search.common : undefined);
  const found = useLast(issues, shown, named, number);
  const issue = named ?? found.issue ?? issues.find((each) => each.fingerprint === fingerprint);
  const occurrence =
    named === undefined && found.occurrence !== undefined
      ? found.occurrence
      : (issue?.occurrences[Number(number ?? '1') - 1] ?? issue?.occurrences[0]);
  const select: Selection['select'] = (next, nextOccurrence) =>
    set({
      common: '',
      cluster: '',
      issue: next.key,
      occurrence: nextOccurrence === undefined || nextOccurrence.number === 1 ? '' : String(nextOccurrence.number),
      // On a phone, the list would hide the selection.
      ...(view === 'issues' && { view: 'source' }),
    });
  const stepIssue = (step: 1 | -1): void => {
    const at = shown.findIndex(({ key }) => key === issue?.key);
    const next = at === -1 ? (shown[step === 1 ? found.at : found.at - 1] ?? shown.at(-1)) : shown[at + step];
    if (next !== undefined) select(next);
  };
  const stepOccurrence = (step: 1 | -1): void => {
    const next = issue?.occurrences[(occurrence?.number ?? 1) - 1 + step];
    const at = shown.findIndex(({ key }) => key === issue?.key);
    const neighbor = at === -1 ? shown[0] : shown[at + step];
    if (issue !== undefined && next !== undefined) select(issue, next);
    else if (neighbor !== undefined)
      select(neighbor, step === 1 ? neighbor.occurrences[0] : neighbor.occurrences.at(-1));
  };
  const setView = (next: PageView): void => set({ view: next === (isNarrow ? 'issues' : 'source') ? '' : next });
  return { view, issue, occurrence, setView, select, stepIssue, stepOccurrence };
}

/**
 * Finds the last selected occurrence after its issue got another id because some of its occurrences were decided. If it is no
 * longer listed, returns where it was.
 */
function useLast(
  issues: readonly PageIssue[],
  shown: readonly PageIssue[],
  named: PageIssue | undefined,
  number: string | undefined,
) {
  const last = useRef<{ readonly of: PageIssue; readonly name: string; readonly at: number }>(undefined);
  const selected = named?.occurrences[Number(number ?? '1') - 1];
  useEffect(() => {
    if (named === undefined || selected === undefined) return;
    last.current = { of: named, name: nameOf(selected), at: shown.indexOf(named) };
  });
  const before = named === undefined ? last.current : undefined;
  // The occurrences that were decided are a separate issue with the same message.
  const alike = issues.filter(({ kind, message }) => kind === before?.of.kind && message === before.of.message);
  const issue = alike.find(({ occurrences }) => occurrences.some((each) => nameOf(each) === before?.name));
  return {
    issue,
    occurrence: issue?.occurrences.find((each) => nameOf(each) === before?.name),
    at: Math.max(0, before?.at ?? 0),
  };
}

function nameOf({ line, column, selector, markup }: Occurrence): string {
  return JSON.stringify([line, column, selector, markup]);
}

function viewOf(text: string | undefined, isNarrow: boolean): PageView {
  if (text === 'screenshot' || text === 'markup' || text === 'source') return text;
  return isNarrow ? 'issues' : 'source';
}
