import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { CHANGE_WORDS, CHANGES } from 'sitewarden-client/changes';
import { issueChangesQuery } from '../../api/queries/changes.ts';
import { items as itemsOf, pageNumber } from '../../lib/search.ts';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
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
  const { report, base } = useReport();
  const { search, set } = useSearchState('/reports/$report/changes');
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
        {({ items, page, pages, total, meta }) =>
          meta.with === null ? (
            <NothingToCompare isCurrent={meta.is_current} />
          ) : (
            <>
              {meta.matched_by === 'path' ? (
                <p>The reports are of different sites, so pages are matched by path.</p>
              ) : null}
              <ResultsLinks isShown={meta.changed_since_end} current={search.at} />
              {meta.is_current ? null : <p role="status">The report has changed. Updating the comparison…</p>}
              <ChangedSettings settings={meta.settings} />
              <PageChanges />
              <Section title="Issues">
                <Toggles
                  label="Occurrences by change"
                  toggles={CHANGES.map((value) => ({
                    ...{ value, count: meta.changes[value] },
                    title: CHANGE_WORDS[value],
                  }))}
                  pressed={itemsOf(search.change ?? CHANGED.join())}
                  onChange={(pressed) => set({ change: pressed.join(',') })}
                />
                {items.length === 0 ? (
                  <EmptyState
                    title={search.change === undefined ? 'No changed issues' : 'No issues match the filter'}
                  />
                ) : (
                  <DataTable
                    caption="Changes by issue type"
                    columns={changeColumns(report.id, base, search.with === undefined)}
                    rows={items}
                    keyOf={({ id }) => id}
                    isStale={changes.isPlaceholderData}
                  />
                )}
                <Pager page={page} pages={pages} total={total} />
              </Section>
            </>
          )
        }
      </QueryView>
    </div>
  );
}

/** Switches between the results at the end of the report and the results now. */
function ResultsLinks({ isShown, current }: { readonly isShown: boolean; readonly current: string | undefined }) {
  if (!isShown) return null;
  return (
    <>
      <p>Re-checks or mutings have changed results since this report ended.</p>
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
