import { useEffect, useRef } from 'react';
import type { Item } from '../../api/client.ts';
import type { PageIssueChoice } from '../../api/queries/web-page.ts';
import { count, plural } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { PAGE } from '../../lib/searches.ts';
import { UNCOUNTED, UNCOUNTED_NAMES } from '../../lib/uncounted.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryError } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState, LoadingRows } from '../../parts/notes.tsx';
import { scrollWithin } from '../../parts/scroll-within.ts';
import { SeverityCount, SeverityGlyph, SeverityLabel } from '../../parts/severity.tsx';
import { DecisionMark } from '../../report/decision-line.tsx';
import { useReport } from '../../report/report-context.tsx';
import { OccurrenceList } from './occurrence-list.tsx';
import { countsBySeverity, type PageIssue } from './page-issues.ts';
import styles from './screen.module.css';
import type { PageIssuesState, UncountedIssues } from './use-page-issues.ts';
import type { Selection } from './use-selection.ts';

interface IssueListProps {
  readonly page: Item<'web_page'>;
  readonly state: PageIssuesState;
  /** The issues that match the filter. */
  readonly shown: readonly PageIssue[];
  readonly selection: Selection;
  readonly choice: PageIssueChoice;
  readonly uncounted: UncountedIssues;
}

/** The issues of a page by check, the worst first. The selected issue shows its occurrences. */
export function IssueList(props: IssueListProps) {
  const { state } = props;
  if (state.error !== null) return <QueryError error={state.error} onRetry={state.retry} />;
  return (
    <section className={styles.list} aria-label="Issues" aria-busy={state.isPending} data-pane tabIndex={-1}>
      {/* All checks at once: issues of one check would move when issues of another arrive. */}
      {state.isPending ? <LoadingRows /> : <LoadedIssues {...props} />}
    </section>
  );
}

function LoadedIssues({ page, state, shown, selection, choice, uncounted }: IssueListProps) {
  return (
    <>
      <SeverityFilter issues={state.issues} />
      {state.unlisted > 0 ? (
        <p className={styles.soft}>
          {plural(state.unlisted, 'more issue type')} not listed, because there are too many.
        </p>
      ) : null}
      {state.issues.length === 0 ? <NoIssues page={page} choice={choice} /> : null}
      {KIND_NAMES.map((kind) => {
        const issues = shown.filter((issue) => issue.kind === kind);
        return issues.length === 0 ? null : (
          <div key={kind}>
            <h2 className={styles.kind}>{KINDS[kind].title}</h2>
            <ul>
              {issues.map((issue) => (
                <IssueItem key={issue.key} issue={issue} selection={selection} />
              ))}
            </ul>
          </div>
        );
      })}
      <UncountedNote choice={choice} uncounted={uncounted} />
    </>
  );
}

function IssueItem({ issue, selection }: { readonly issue: PageIssue; readonly selection: Selection }) {
  const isSelected = selection.issue?.key === issue.key;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // On a phone, the list fills the screen, so its top is the top of the screen.
    if (isSelected) scrollWithin(item.current?.closest('section'), item.current);
  }, [isSelected]);
  return (
    <li ref={item} className={isSelected ? styles.issueSelected : styles.issue}>
      <button
        type="button"
        className={styles.issueButton}
        aria-expanded={isSelected}
        onClick={() => selection.select(issue)}
      >
        <SeverityGlyph of={issue.severity} />
        <span>
          <span className="visually-hidden">{issue.severity === 'review' ? 'needs review' : issue.severity}: </span>
          {issue.message}
          {issue.decision === null ? null : <DecisionMark verdict={issue.decision.verdict} />}
        </span>
        <span className={styles.times}>
          {count(issue.howMany)}
          <span className="visually-hidden">
            {' '}
            {OCCURRENCE_WORDS[issue.kind]}
            {issue.howMany === 1 ? '' : 's'}
          </span>
        </span>
      </button>
      {isSelected ? <OccurrenceList issue={issue} selection={selection} /> : null}
    </li>
  );
}

/** Filters issues by severity, with the number of occurrences of each. */
function SeverityFilter({ issues }: { readonly issues: readonly PageIssue[] }) {
  const { search, set } = useSearchState(...PAGE);
  const counts = countsBySeverity(issues);
  if (new Set(issues.map(({ severity }) => severity)).size < 2) return null;
  const chosen = search.type;
  return (
    <fieldset className={styles.severities}>
      <legend className="visually-hidden">Show</legend>
      <Button aria-pressed={chosen === undefined} onClick={() => set({ type: '' })}>
        All {count(issues.reduce((sum, { howMany }) => sum + howMany, 0))}
      </Button>
      {counts.map(([severity, number]) => (
        <Button
          key={severity}
          aria-pressed={chosen === severity}
          onClick={() => set({ type: chosen === severity ? '' : severity })}
        >
          <SeverityCount of={severity} count={number} words />
        </Button>
      ))}
    </fieldset>
  );
}

function NoIssues({ page, choice }: { readonly page: Item<'web_page'>; readonly choice: PageIssueChoice }) {
  if (choice !== 'false') return <EmptyState title={UNCOUNTED[choice].none} />;
  if (page.status === 'failed') return <p className={styles.soft}>No issues: the page could not be checked.</p>;
  if (page.status !== 'checked') {
    return (
      <EmptyState title="The checks are still running">
        <p>Issues appear here as soon as they are found.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No issues on this page">
      <p>
        <SeverityLabel of="passed" /> all its checks. Automated checks find only some barriers.
      </p>
    </EmptyState>
  );
}

/** Says which issues are not counted, and switches between these and the others. */
function UncountedNote({ choice, uncounted }: Pick<IssueListProps, 'choice' | 'uncounted'>) {
  const { isShared } = useReport();
  const { set } = useSearchState(...PAGE);
  if (isShared) return null;
  const show = (muted: PageIssueChoice) => set({ muted: muted === 'false' ? '' : muted, issue: '', occurrence: '' });
  if (choice !== 'false') {
    return (
      <p className={styles.uncounted}>
        These issues {UNCOUNTED[choice].these} and are not counted.{' '}
        <Button look="quiet" onClick={() => show('false')}>
          Show other issues
        </Button>
      </p>
    );
  }
  return UNCOUNTED_NAMES.map((each) =>
    uncounted[each] === 0 ? null : (
      <p key={each} className={styles.uncounted}>
        {plural(uncounted[each], 'issue type')} {UNCOUNTED[each].choice}.{' '}
        <Button look="quiet" onClick={() => show(each)}>
          Show
        </Button>
      </p>
    ),
  );
}
