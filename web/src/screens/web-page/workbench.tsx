import { type ReactNode, type RefObject, useMemo, useRef } from 'react';
import type { Item } from '../../api/client.ts';
import type { PageIssueChoice } from '../../api/queries/web-page.ts';
import { PAGE } from '../../lib/searches.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useNarrow } from '../../live/use-narrow.ts';
import { Button } from '../../parts/button.tsx';
import { IssueList } from './issue-list.tsx';
import { MarkupPane } from './markup-pane.tsx';
import { OccurrenceCard } from './occurrence-card.tsx';
import { isOf, type PageIssue } from './page-issues.ts';
import styles from './screen.module.css';
import { ScreenshotPane } from './screenshot-pane.tsx';
import { SourcePane } from './source-pane.tsx';
import { useBenchKeys } from './use-bench-keys.ts';
import type { PageIssuesState, UncountedIssues } from './use-page-issues.ts';
import type { Recheck } from './use-recheck.ts';
import { type PageView, type Selection, useSelection } from './use-selection.ts';

/** The issues of a page next to its source, screenshot or markup. All of them share the selection. */
export function Workbench({
  page,
  state,
  choice,
  uncounted,
  recheck,
}: {
  readonly page: Item<'web_page'>;
  readonly state: PageIssuesState;
  /** The issues in `state`. */
  readonly choice: PageIssueChoice;
  readonly uncounted: UncountedIssues;
  readonly recheck: Recheck;
}) {
  const { search } = useSearchState(...PAGE);
  const isNarrow = useNarrow();
  const shown = useMemo(
    () => state.issues.filter((issue) => search.type === undefined || isOf(search.type, issue)),
    [state.issues, search],
  );
  const selection = useSelection(page.id, state.issues, shown);
  const { view } = selection;
  const bench = useRef<HTMLDivElement>(null);
  const findField = useRef<HTMLInputElement>(null);
  useBenchKeys(bench, { page, selection, recheck, findField });
  const card = <OccurrenceCard page={page} selection={selection} />;
  const hasSheet = isNarrow && view !== 'issues' && selection.occurrence !== undefined;
  return (
    <div ref={bench} className={styles.bench}>
      <ViewChoice view={view} isNarrow={isNarrow} onChoose={selection.setView} />
      {isNarrow && view !== 'issues' ? null : (
        <IssueList
          page={page}
          state={state}
          shown={shown}
          selection={selection}
          choice={choice}
          uncounted={uncounted}
        />
      )}
      {view === 'issues' ? null : (
        <div className={styles.pane} data-pane tabIndex={-1}>
          <Pane
            page={page}
            issues={shown}
            selection={selection}
            findField={findField}
            card={isNarrow ? undefined : card}
          />
        </div>
      )}
      {hasSheet ? <div className={styles.sheet}>{card}</div> : null}
    </div>
  );
}

/** The page in the selected view. On a phone, the card of the selected occurrence is a sheet below it. */
function Pane({
  findField,
  ...props
}: {
  readonly page: Item<'web_page'>;
  readonly issues: readonly PageIssue[];
  readonly selection: Selection;
  readonly findField: RefObject<HTMLInputElement | null>;
  readonly card: ReactNode;
}) {
  const { view } = props.selection;
  if (view === 'screenshot') return <ScreenshotPane {...props} />;
  if (view === 'markup') return <MarkupPane selection={props.selection} card={props.card} />;
  return <SourcePane {...props} findField={findField} />;
}

const TITLES: Readonly<Record<PageView, string>> = {
  issues: 'Issues',
  source: 'Source',
  screenshot: 'Screenshot',
  markup: 'Markup',
};

/** Chooses the view. On a phone, the issues are one of the views. */
function ViewChoice({
  view,
  isNarrow,
  onChoose,
}: {
  readonly view: PageView;
  readonly isNarrow: boolean;
  readonly onChoose: (view: PageView) => void;
}) {
  const views: readonly PageView[] = isNarrow
    ? ['issues', 'source', 'screenshot', 'markup']
    : ['source', 'screenshot', 'markup'];
  return (
    <fieldset className={styles.views}>
      <legend className="visually-hidden">View</legend>
      {views.map((each) => (
        <Button key={each} aria-pressed={each === view} onClick={() => onChoose(each)}>
          {TITLES[each]}
        </Button>
      ))}
    </fieldset>
  );
}
