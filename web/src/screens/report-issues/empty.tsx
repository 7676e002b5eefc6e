import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { plural } from '../../lib/formats.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { useReport } from '../../report/report-context.tsx';

/** Why a list of issue types that nothing filters is empty: nothing was checked yet, all are muted, or there are none. */
export function NoIssues({ kind, muted }: { readonly kind: Kind; readonly muted: string | undefined }) {
  const { report, base } = useReport();
  const { title, path } = KINDS[kind];
  const silenced = useQuery({
    ...commonIssuesQuery(report.id, kind, { 'filter[muted]': 'true', 'page[size]': 1 }),
    enabled: muted === undefined,
  });
  const status = report.checks[kind]?.status;
  if (muted === 'true') return <EmptyState title="Nothing is muted here" />;
  if (silenced.data !== undefined && silenced.data.total > 0) {
    return (
      <EmptyState title={`All ${plural(silenced.data.total, 'kind')} of issue that were found are muted`}>
        <Link to={`${base}/${path}`} search={{ muted: 'true' }}>
          Show what is muted
        </Link>
      </EmptyState>
    );
  }
  if (status !== undefined && status.pending > 0) {
    return (
      <EmptyState title="Nothing was found so far">
        <p>{plural(status.pending, 'page is', 'pages are')} still to be checked.</p>
      </EmptyState>
    );
  }
  if (status === undefined || status.checked === 0) {
    return (
      <EmptyState title="No page could be checked">
        <Link to={`${base}/pages`}>See the pages and the reasons</Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={`No issues: ${title} is fine on ${plural(status.checked, 'checked page')}`}>
      {status.failed === 0 ? null : (
        <Link to={`${base}/pages`} search={{ [kind]: 'failed' }}>
          {plural(status.failed, 'page')} could not be checked
        </Link>
      )}
    </EmptyState>
  );
}

/** A kind of check that the report does not run. */
export function CheckOff({ kind }: { readonly kind: Kind }) {
  const { report, isShared } = useReport();
  return (
    <EmptyState title={`This report does not check ${kind === 'html' ? 'HTML' : KINDS[kind].title.toLowerCase()}`}>
      {isShared ? null : (
        <Link to="/reports/new" search={{ from: report.id }}>
          Start one with the same settings that does
        </Link>
      )}
    </EmptyState>
  );
}
