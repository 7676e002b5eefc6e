import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { CHANGES, changeWords, decidedSentence } from 'sitewarden-client/changes';
import type { List } from '../../api/client.ts';
import { issueChangesQuery } from '../../api/queries/changes.ts';
import { plural } from '../../lib/formats.ts';
import { items as itemsOf, pageNumber } from '../../lib/search.ts';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState, LoadingRows } from '../../parts/notes.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Section } from '../../parts/section.tsx';
import { Toggles } from '../../parts/toggles.tsx';
import { ViewLinks } from '../../parts/view-links.tsx';
import { LaterReport } from '../../report/later-report.tsx';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';
import { useNextRun, useSiteRuns } from '../../report/use-site-runs.ts';
import { ChangedSettings } from './changed-settings.tsx';
import { changeColumns } from './columns.tsx';
import { CompareWith } from './compare-with.tsx';
import { PageChanges, pagesQuery, resultsAt } from './page-changes.tsx';

/** By default, everything except unchanged issues, which would push fixed ones to the last page. */
const CHANGED = CHANGES.filter((change) => change !== 'persisting' && change !== 'not_checked_before');

/** The changes of issues and pages since an earlier report of the site. */
export function ReportChangesScreen() {
  const { report } = useReport();
  const { search } = useSearchState('/reports/$report/changes');
  if (report.status !== 'finished' && search.with === undefined) {
    return (
      <>
        <ReportHead />
        <EmptyState
          title={report.status === 'failed' ? 'Nothing to compare' : 'The comparison starts when the report has ended'}
        >
          {report.status === 'failed' ? <p>No page of the site could be checked.</p> : null}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <ReportHead />
      <Changes />
    </>
  );
}

function Changes() {
  const { report } = useReport();
  const { search } = useSearchState('/reports/$report/changes');
  const scope = useRef<HTMLDivElement>(null);
  useRowKeys(scope);
  const changes = useQuery(
    issueChangesQuery(report.id, {
      with: search.with,
      at: resultsAt(search.at),
      'filter[change]': search.change ?? CHANGED.join(),
      'page[number]': pageNumber(search.page),
      'page[size]': 50,
    }),
  );
  const pages = useQuery(pagesQuery(report.id, search));
  const { isLoading } = useSiteRuns();
  // Shown together, to avoid layout shifts.
  if (changes.isLoading || pages.isLoading || isLoading) return <LoadingRows />;
  return (
    <div ref={scope}>
      <CompareWith current={changes.data?.meta.with ?? null} />
      <QueryView query={changes}>
        {(list) =>
          list.meta.with === null ? (
            <NothingToCompare isCurrent={list.meta.is_current} />
          ) : (
            <>
              {list.meta.matched_by === 'path' ? (
                <p>
                  {list.meta.other_site ? 'The reports are of different sites' : 'The address of the site changed'}, so
                  pages are matched by path.
                </p>
              ) : null}
              <ResultsLinks isShown={list.meta.changed_since_end} current={search.at} />
              {list.meta.is_current ? null : <p role="status">The report has changed. Updating the comparison…</p>}
              <ChangedSettings settings={list.meta.settings} isOtherSite={list.meta.other_site === true} />
              <PageChanges />
              <IssueChanges list={list} isStale={changes.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </div>
  );
}

/** The changes of issue types, filtered by the URL. */
function IssueChanges({
  list: { items, page, pages, total, meta },
  isStale,
}: {
  readonly list: List<'issue_change'>;
  readonly isStale: boolean;
}) {
  const { report, base } = useReport();
  const { search, set } = useSearchState('/reports/$report/changes');
  const isOtherSite = meta.other_site === true;
  // Such occurrences are mostly as before, which is not listed by default.
  const decided = decidedSentence(meta.decided, isOtherSite);
  return (
    <Section title="Issues">
      <Toggles
        label={isOtherSite ? 'Occurrences by difference' : 'Occurrences by change'}
        toggles={CHANGES.map((value) => ({
          ...{ value, count: meta.changes[value] },
          title: changeWords(isOtherSite)[value],
        }))}
        pressed={itemsOf(search.change ?? CHANGED.join())}
        onChange={(pressed) => set({ change: pressed.join(',') })}
      />
      {decided === '' ? null : <p>{decided}</p>}
      {items.length === 0 ? (
        <NoIssues notBefore={meta.changes.not_checked_before} isOtherSite={isOtherSite} />
      ) : (
        <DataTable
          caption={isOtherSite ? 'Differences by issue type' : 'Changes by issue type'}
          columns={changeColumns(report.id, base, {
            isPrevious: search.with === undefined,
            isOtherSite: isOtherSite,
          })}
          rows={items}
          keyOf={({ id }) => id}
          isStale={isStale}
        />
      )}
      <Pager page={page} pages={pages} total={total} />
    </Section>
  );
}

/** @param notBefore occurrences that were not checked before, which are not shown by default */
function NoIssues({ notBefore, isOtherSite }: { readonly notBefore: number; readonly isOtherSite: boolean }) {
  const { search, set } = useSearchState('/reports/$report/changes');
  if (search.change !== undefined) return <EmptyState title="No issues match the filter" />;
  if (notBefore === 0) return <EmptyState title={isOtherSite ? 'No differences' : 'No changed issues'} />;
  const words = changeWords(isOtherSite).not_checked_before;
  return (
    <EmptyState title={`${plural(notBefore, 'occurrence was', 'occurrences were')} ${words}`}>
      <p>{isOtherSite ? 'There are no other differences.' : 'Nothing else has changed.'}</p>
      <Button onClick={() => set({ change: 'not_checked_before' })}>Show them</Button>
    </EmptyState>
  );
}

/** Switches between the results at the end of the report and the results now. */
function ResultsLinks({ isShown, current }: { readonly isShown: boolean; readonly current: string | undefined }) {
  if (!isShown) return null;
  return (
    <>
      <p>Re-checks, mutings or decisions have changed results since this report ended.</p>
      <ViewLinks
        label="Results of this report"
        name="at"
        views={[
          { value: undefined, title: 'When it ended' },
          { value: 'now', title: 'Now' },
        ]}
        current={current}
        drop={['change', 'pages', 'page']}
      />
    </>
  );
}

function NothingToCompare({ isCurrent }: { readonly isCurrent: boolean }) {
  const { report } = useReport();
  const next = useNextRun();
  if (!isCurrent) return <EmptyState title="Comparing reports…" />;
  return (
    <EmptyState title="No earlier report to compare with">
      <p>
        <LaterReport />
      </p>
      {next === undefined ? (
        <p>
          <Link to="/schedules/new" search={{ from: report.id }}>
            Check this site regularly
          </Link>
        </p>
      ) : null}
    </EmptyState>
  );
}
