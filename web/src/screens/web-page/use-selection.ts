import { PAGE } from '../../lib/searches.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useNarrow } from '../../live/use-narrow.ts';
import type { Occurrence, PageIssue } from './page-issues.ts';
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
export function useSelection(issues: readonly PageIssue[], shown: readonly PageIssue[]): Selection {
  const { search, set } = useSearchState(...PAGE);
  const isNarrow = useNarrow();
  const view = viewOf(search.view, isNarrow);
  const fingerprint = useCommonFingerprint(search.issue === undefined ? search.common : undefined);
  const issue =
    issues.find(({ key }) => key === search.issue) ?? issues.find((each) => each.fingerprint === fingerprint);
  const occurrence = issue?.occurrences[Number(search.occurrence ?? '1') - 1] ?? issue?.occurrences[0];
  const select: Selection['select'] = (next, nextOccurrence) =>
    set({
      common: '',
      issue: next.key,
      occurrence: nextOccurrence === undefined || nextOccurrence.number === 1 ? '' : String(nextOccurrence.number),
      // On a phone, the list would hide the selection.
      ...(view === 'issues' && { view: 'source' }),
    });
  const stepIssue = (step: 1 | -1): void => {
    const at = shown.findIndex(({ key }) => key === issue?.key);
    const next = at === -1 ? shown[step === 1 ? 0 : shown.length - 1] : shown[at + step];
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

function viewOf(text: string | undefined, isNarrow: boolean): PageView {
  if (text === 'screenshot' || text === 'markup' || text === 'source') return text;
  return isNarrow ? 'issues' : 'source';
}
