import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Item } from '../../api/client.ts';
import { webPagesQuery } from '../../api/queries/web-page.ts';
import { plural } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS, kindsOf } from '../../lib/kinds.ts';
import { pageNumber } from '../../lib/search.ts';
import { PAGES } from '../../lib/searches.ts';
import { issueIn, WEB_PAGE_FILTERS, webPagesQueryOf } from '../../lists/list-queries.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { PageSize, SearchChoice, SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useRowKeys } from '../../lists/use-row-keys.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { SeverityLabel, SeverityLegend } from '../../parts/severity.tsx';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';
import { PAGES_SIZE, pageColumns } from './columns.tsx';
import { RecheckListed } from './recheck-listed.tsx';
import styles from './screen.module.css';

const RESULTS = [
  ['passed', 'passes'],
  ['with_errors', 'has errors'],
  ['failed', 'could not be checked'],
  ['pending', 'not checked yet'],
] as const;
const RECHECKED = [
  ['fixed', 'fixed occurrences'],
  ['still', 'remaining occurrences'],
  ['new', 'new occurrences'],
] as const;
/** Ways to check pages. */
const SEEN = [
  ['signed_in', 'signed in'],
  ['stranger', 'not signed in'],
  ['journey', 'in a journey'],
  ['states', 'with opened states'],
  ['banner_dismissed', 'banner dismissed'],
  ['banner_kept', 'banner not dismissed'],
] as const;
const MUTED = [
  ['true', 'only'],
  ['all', 'included'],
] as const;

/** The web pages of a report with the results of their checks. */
export function ReportPagesScreen() {
  const { report, base } = useReport();
  const { search, set } = useSearchState(...PAGES);
  const scope = useRef<HTMLDivElement>(null);
  useRowKeys(scope);
  const pages = useQuery(
    webPagesQuery(report.id, {
      ...webPagesQueryOf(search),
      'page[number]': pageNumber(search.page),
      'page[size]': search.size ?? PAGES_SIZE,
    }),
  );
  const isFiltered = WEB_PAGE_FILTERS.some((name) => search[name] !== undefined);
  return (
    <div ref={scope}>
      <ReportHead />
      {isFiltered ? null : <PassingNote />}
      <PageFilters isFiltered={isFiltered} total={pages.data?.total} />
      <ListTable
        query={pages}
        caption="Pages in this report"
        columns={pageColumns(report, base, search)}
        sort={search.sort}
        onSort={(sort) => set({ sort })}
        empty={<NoPages isFiltered={isFiltered} />}
        after={
          <SeverityLegend of={['error', 'warning', ...(report.checks.a11y == null ? [] : (['review'] as const))]} />
        }
      />
    </div>
  );
}

function PageFilters({ isFiltered, total }: { readonly isFiltered: boolean; readonly total: number | undefined }) {
  const { report, base } = useReport();
  const state = useSearchState(...PAGES);
  const { search } = state;
  const issue = issueIn(search);
  return (
    <SearchFilters
      state={state}
      names={WEB_PAGE_FILTERS}
      matches={total === undefined ? undefined : plural(total, 'page')}
    >
      <SearchText state={state} label="URL" name="url" />
      {kindsOf(report).map((kind) => (
        <SearchChoice state={state} key={kind} label={KINDS[kind].title} name={kind} choices={RESULTS} />
      ))}
      {offersSeen(report) || search.seen !== undefined ? (
        <SearchChoice state={state} label="Checked" name="seen" any="in any way" choices={SEEN} />
      ) : null}
      {search.recheck === undefined ? null : (
        <SearchChoice state={state} label="Re-check found" name="recheck" choices={RECHECKED} />
      )}
      {issue === null ? null : (
        <span>
          with{' '}
          <Link to={`${base}/${KINDS[issue.kind].path}/${issue.id}`} search={{ muted: search.muted }}>
            one issue type
          </Link>
        </span>
      )}
      {issue === null ? null : (
        <SearchChoice state={state} label="Muted issues" name="muted" any="excluded" choices={MUTED} />
      )}
      {isFiltered && total !== undefined ? <RecheckListed total={total} /> : null}
      <PageSize state={state} />
    </SearchFilters>
  );
}

/** Whether the pages of a report may have been checked in different ways. */
function offersSeen({ consent, explore_states: explores, journeys, signs_in: signsIn }: Item<'report'>): boolean {
  return consent !== null || explores || signsIn || journeys.length > 0;
}

function NoPages({ isFiltered }: { readonly isFiltered: boolean }) {
  const { report } = useReport();
  if (isFiltered) return <EmptyState title="No pages match the filters" />;
  const isRunning = report.status === 'pending' || report.status === 'crawling';
  return (
    <EmptyState title={isRunning ? 'No pages found so far' : 'The report has no pages'}>
      {report.crawl_error === null ? null : <p>{report.crawl_error}</p>}
    </EmptyState>
  );
}

/** Reports when all pages pass, with links to pages that could not be checked. */
function PassingNote() {
  const { report, base } = useReport();
  const checks = KIND_NAMES.flatMap((kind) => {
    const check = report.checks[kind];
    return check == null ? [] : [{ kind, check }];
  });
  const isTransient =
    report.status === 'finished' &&
    checks.some(({ check }) => check.pages.passed > 0) &&
    checks.every(({ check }) => check.pages.with_errors === 0);
  if (!isTransient) return null;
  return (
    <p className={styles.passing}>
      <SeverityLabel of="passed" words={false} /> Every page that could be checked passes.{' '}
      {checks
        .filter(({ check }) => check.status.failed > 0)
        .map(({ kind, check }) => (
          <Link key={kind} to={`${base}/pages`} search={{ [kind]: 'failed' }}>
            {plural(check.status.failed, 'page')} could not be checked for {KINDS[kind].title}
          </Link>
        ))}
    </p>
  );
}
