import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Item } from '../../api/client.ts';
import {
  type CommonIssue,
  clustersQuery,
  commonIssuesQuery,
  occurrencesQuery,
} from '../../api/queries/common-issues.ts';
import { rechecksQuery } from '../../api/queries/reports.ts';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { KINDS, type Kind, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { pageAround, positionOf } from '../../lib/position.ts';
import { pageNumber, stringifySearch } from '../../lib/search.ts';
import { ISSUE, type ISSUES, type SearchOn } from '../../lib/searches.ts';
import { UNCOUNTED, uncountedIn } from '../../lib/uncounted.ts';
import { COMMON_ISSUE_SEARCH, commonIssueQueryOf } from '../../lists/list-queries.ts';
import { NeighborLinks, type Neighbors, useLastPosition, useNeighborKeys } from '../../lists/neighbors.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { LoadingRows } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { ViewLinks } from '../../parts/view-links.tsx';
import { DecisionLine, DecisionMark } from '../../report/decision-line.tsx';
import { messageOf, severityOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { TypeChange } from '../../report/type-change.tsx';
import { useIssueActions } from './actions.tsx';
import { Clusters } from './clusters.tsx';
import { Occurrences } from './occurrences.tsx';
import { PagesWithIssue } from './pages.tsx';
import { Remedy } from './remedy.tsx';
import styles from './screen.module.css';

/** An issue type with its occurrences, in the view that the URL selects. */
export function IssueView({ kind, issue }: { readonly kind: Kind; readonly issue: CommonIssue }) {
  const { report, base } = useReport();
  const { search } = useSearchState(...ISSUE);
  const scope = useRef<HTMLDivElement>(null);
  const neighbors = useNeighbors(kind, issue.id);
  const of = { report: report.id, kind, issue: issue.id };
  const muted = { 'filter[muted]': search.muted };
  const clusters = useQuery(clustersQuery(of, { ...muted, 'page[number]': 1 }));
  const sample = useQuery(occurrencesQuery(of, { ...muted, 'filter[cluster]': search.cluster, 'page[size]': 1 }));
  const rechecks = useQuery(rechecksQuery(report.id));
  const actions = useIssueActions({ kind, issue, clusters: clusters.data, sample: sample.data?.items[0]?.id });
  useRowKeys(scope, [...useNeighborKeys(neighbors), ...actions.keys]);
  const view = viewOf(search, kind);
  const uncounted = uncountedIn(search.muted);
  // Shown together, to avoid layout shifts.
  if (clusters.isLoading || sample.isLoading || neighbors.isLoading || rechecks.isLoading) return <LoadingRows />;
  return (
    <div ref={scope}>
      <PageHead
        title={messageOf(issue)}
        back={
          <div className={styles.back}>
            <Link to={`${base}/${KINDS[kind].path}`} search={filtersOf(search)}>
              ‹ {KINDS[kind].title}
            </Link>
            <NeighborLinks neighbors={neighbors} />
          </div>
        }
        actions={actions.buttons}
      >
        <IssueLine kind={kind} issue={issue} note={uncounted && UNCOUNTED[uncounted].note} />
      </PageHead>
      {actions.notes}
      <Decided
        kind={kind}
        issue={issue}
        sample={sample.data?.items[0]}
        isOne={search.cluster !== undefined || clusters.data?.total === 1}
      />
      <Remedy
        kind={kind}
        issue={issue}
        sample={sample.data}
        isExample={search.cluster === undefined && (clusters.data?.total ?? 0) > 1}
      />
      <ViewLinks
        label="Views of the occurrences"
        name="view"
        current={view === defaultView(kind) ? undefined : view}
        drop={['page', 'cluster', 'url', 'occurrences']}
        views={[
          ...(kind === 'link'
            ? []
            : [
                {
                  value: undefined,
                  // Zero would claim that there are none.
                  title: `By cause ${clusters.data === undefined || clusters.data.total === 0 ? '' : count(clusters.data.total)}`,
                },
              ]),
          { value: kind === 'link' ? undefined : 'pages', title: `By page ${count(issue.num_web_pages)}` },
          { value: 'occurrences', title: `All ${OCCURRENCE_WORDS[kind]}s ${count(issue.how_many)}` },
        ]}
      />
      {view === 'markup' ? <Clusters kind={kind} issue={issue.id} /> : null}
      {view === 'pages' ? <PagesWithIssue kind={kind} issue={issue.id} /> : null}
      {view === 'occurrences' ? <Occurrences kind={kind} issue={issue.id} /> : null}
    </div>
  );
}

/** What was decided about all occurrences; nothing if several decisions each concern only some of them. */
function Decided({
  kind,
  issue: { verdict },
  sample,
  isOne,
}: {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  readonly sample: Item<'occurrence'> | undefined;
  /** Whether all listed occurrences have one cause. */
  readonly isOne: boolean;
}) {
  const decision = sample?.decision ?? null;
  if (decision !== null && (decision.scope === 'rule' || (isOne && decision.scope === 'cause')))
    return <DecisionLine kind={kind} decision={decision} />;
  return verdict === null ? null : (
    <p className={styles.decided}>
      <DecisionMark verdict={verdict} />
    </p>
  );
}

function IssueLine({
  kind,
  issue,
  note,
}: {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  /** Why it does not count. */
  readonly note: string | undefined;
}) {
  return (
    <span className={styles.line}>
      <SeverityLabel of={severityOf(issue, kind)} />
      <span>
        {plural(issue.how_many, OCCURRENCE_WORDS[kind])} on {plural(issue.num_web_pages, 'page')}
        {note === undefined ? '' : `, ${note}`}
      </span>
      <TypeChange issue={issue} />
      {issue.first_seen_at === null ? null : <span>first seen {dateTime(issue.first_seen_at)}</span>}
    </span>
  );
}

type View = 'markup' | 'pages' | 'occurrences';

function defaultView(kind: Kind): View {
  // A link check already groups occurrences by URL, so all of them have the same markup.
  return kind === 'link' ? 'pages' : 'markup';
}

/** Links to a cluster don't name the view of its occurrences. */
function viewOf(search: SearchOn<(typeof ISSUE)[number]>, kind: Kind): View {
  const { view, cluster } = search;
  if (view === 'pages' || view === 'occurrences') return view;
  return cluster === undefined ? defaultView(kind) : 'occurrences';
}

/**
 * Reads the list from which an issue type was opened: the URL contains its filters and the position. Without a position, only the
 * first items of the list have neighbors.
 */
function useNeighbors(kind: Kind, id: string): Neighbors & { readonly isLoading: boolean } {
  const { report, base } = useReport();
  const { search } = useSearchState(...ISSUE);
  const around = pageAround(pageNumber(search.at));
  const list = useQuery(commonIssuesQuery(report.id, kind, { ...commonIssueQueryOf(search, kind), ...around }));
  const position = list.data === undefined ? null : positionOf(list.data, around, id);
  return {
    noun: 'issue type',
    position: useLastPosition(stringifySearch(filtersOf(search)), position),
    isLoading: list.isLoading,
    linkTo: (issue, at) => ({
      to: `${base}/${KINDS[kind].path}/${issue}`,
      search: { ...filtersOf(search), at: String(at) },
    }),
  };
}

/** Returns the part of the search that describes the list, not the issue. */
function filtersOf(search: SearchOn<(typeof ISSUE)[number]>): SearchOn<(typeof ISSUES)[number]> {
  return Object.fromEntries(COMMON_ISSUE_SEARCH.map((name) => [name, search[name]]));
}
