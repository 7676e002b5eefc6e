import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reportMutingsQuery } from '../../api/queries/mutings.ts';
import { KINDS, kindsOf } from '../../lib/kinds.ts';
import { pageNumber } from '../../lib/search.ts';
import { MutingsTable } from '../../lists/mutings-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';
import styles from './screen.module.css';

/** The mutings that apply to issues of a report. */
export function ReportMutingsScreen() {
  const { report, base } = useReport();
  const { search } = useSearchState('/reports/$report/mutings');
  const mutings = useQuery(reportMutingsQuery(report.id, { 'page[number]': pageNumber(search.page) }));
  return (
    <>
      <ReportHead />
      <MutingsTable
        mutings={mutings}
        empty={
          <EmptyState title="Nothing is muted in this report">
            <p>
              Mute issues that you know and accept: they are neither listed nor counted. To mute an issue, open it and
              choose “Mute…”.
            </p>
          </EmptyState>
        }
        before={
          <p className={styles.shown}>
            Show muted issues:
            {kindsOf(report).map((kind) => (
              <Link key={kind} to={`${base}/${KINDS[kind].path}`} search={{ muted: 'true' }}>
                {KINDS[kind].title}
              </Link>
            ))}
          </p>
        }
      />
    </>
  );
}
