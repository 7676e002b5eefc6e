import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { measureWords } from 'sitewarden-client/standards';
import { commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { UNCOUNTED, uncountedIn } from '../../lib/uncounted.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { useReport } from '../../report/report-context.tsx';

/** Why an unfiltered list of issue types is empty: no page is checked yet, all issues are muted, or there are none. */
export function NoIssues({ kind, muted }: { readonly kind: Kind; readonly muted: string | undefined }) {
  const { report, base } = useReport();
  const { title, path } = KINDS[kind];
  const mutedIssues = useQuery({
    ...commonIssuesQuery(report.id, kind, { 'filter[muted]': 'true', 'page[size]': 1 }),
    enabled: muted === undefined,
  });
  const outside = useQuery({
    ...commonIssuesQuery(report.id, kind, { 'filter[muted]': 'outside_standard', 'page[size]': 1 }),
    enabled: muted === undefined && kind === 'a11y' && report.standard !== null,
  });
  const refuted = useQuery({
    ...commonIssuesQuery(report.id, kind, { 'filter[muted]': 'not_an_error', 'page[size]': 1 }),
    enabled: muted === undefined,
  });
  const status = report.checks[kind]?.status;
  const uncounted = uncountedIn(muted);
  if (uncounted !== undefined) return <EmptyState title={UNCOUNTED[uncounted].none} />;
  if (mutedIssues.data !== undefined && mutedIssues.data.total > 0) {
    return (
      <EmptyState title={`All issues found are muted (${plural(mutedIssues.data.total, 'issue type')})`}>
        <Link to={`${base}/${path}`} search={{ muted: 'true' }}>
          Show muted issues
        </Link>
      </EmptyState>
    );
  }
  if (outside.data !== undefined && outside.data.total > 0) {
    return (
      <EmptyState title={`None of the issues found belong to ${measureWords(report)}`}>
        <Link to={`${base}/${path}`} search={{ muted: 'outside_standard' }}>
          Show {plural(outside.data.total, 'other issue type')}
        </Link>
      </EmptyState>
    );
  }
  if (refuted.data !== undefined && refuted.data.total > 0) {
    return (
      <EmptyState title="All issues found were marked “not an error”">
        <Link to={`${base}/${path}`} search={{ muted: 'not_an_error' }}>
          Show {plural(refuted.data.total, 'issue type')}
        </Link>
      </EmptyState>
    );
  }
  if (status !== undefined && status.pending > 0) {
    return (
      <EmptyState title="No issues so far">
        <p>{plural(status.pending, 'page is', 'pages are')} still to be checked.</p>
      </EmptyState>
    );
  }
  if (status === undefined || status.checked === 0) {
    return (
      <EmptyState title="No page could be checked">
        <Link to={`${base}/pages`}>View pages and reasons</Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={`No ${title} issues on ${plural(status.checked, 'checked page')}`}>
      {status.failed === 0 ? null : (
        <Link to={`${base}/pages`} search={{ [kind]: 'failed' }}>
          {plural(status.failed, 'page')} could not be checked
        </Link>
      )}
    </EmptyState>
  );
}

/** Explains that the report does not run this kind of check. */
export function CheckOff({ kind }: { readonly kind: Kind }) {
  const { report, isShared } = useReport();
  return (
    <EmptyState title={`This report does not check ${kind === 'html' ? 'HTML' : KINDS[kind].title.toLowerCase()}`}>
      {isShared ? null : (
        <Link to="/reports/new" search={{ from: report.id }}>
          Start a report that does
        </Link>
      )}
    </EmptyState>
  );
}
