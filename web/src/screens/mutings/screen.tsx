import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { mutingsQuery } from '../../api/queries/mutings.ts';
import { plural } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { MutingsTable } from '../../lists/mutings-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';

/** All mutings of the account. */
export function MutingsScreen() {
  const { search } = useSearchState('/mutings');
  const mutings = useQuery(mutingsQuery({ 'page[number]': pageNumber(search.page) }));
  return (
    <>
      <PageHead title="Mutings">
        {mutings.data === undefined || mutings.data.total === 0 ? '' : plural(mutings.data.total, 'muting')}
      </PageHead>
      <MutingsTable
        mutings={mutings}
        empty={
          <EmptyState title="Nothing is muted">
            <p>
              A muting silences issues that you know and accept, in all reports: they are neither listed nor counted.
              Open an issue of a report and choose “Mute…”.
            </p>
            <Link to="/reports">Go to the reports</Link>
          </EmptyState>
        }
      />
    </>
  );
}
