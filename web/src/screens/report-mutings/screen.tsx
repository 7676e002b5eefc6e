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

/** The mutings that silence something in a report. */
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
              Mute what you know and accept: such an issue is neither listed nor counted. Open an issue and choose
              “Mute…”.
            </p>
          </EmptyState>
        }
        before={
          <p className={styles.shown}>
            Show what is muted:
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
