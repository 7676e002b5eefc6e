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
              Mute issues that you know and accept: they are neither listed nor counted in any report. To mute an issue,
              open it in a report and choose “Mute…”.
            </p>
            <Link to="/reports">View reports</Link>
          </EmptyState>
        }
      />
    </>
  );
}
