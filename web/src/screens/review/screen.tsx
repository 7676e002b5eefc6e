import { useState } from 'react';
import { count, plural } from '../../lib/formats.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryError, QueryView } from '../../live/query-view.tsx';
import { EmptyState, LoadingRows } from '../../parts/notes.tsx';
import { ViewLinks } from '../../parts/view-links.tsx';
import { useReport } from '../../report/report-context.tsx';
import { ReportHead } from '../../report/report-head.tsx';
import { useMayDecide } from '../../report/use-decisions.ts';
import { Done } from './done.tsx';
import styles from './screen.module.css';
import { Triage } from './triage.tsx';
import { useTriage } from './use-triage.ts';

const CHOICES = { errors: 'errors', later: 'later' } as const;

/** What people have to decide about a report, one cause after another, by keyboard. */
export function ReviewScreen() {
  const { report } = useReport();
  const { search } = useSearchState('/reports/$report/review');
  const mayDecide = useMayDecide();
  const choice = search.show === undefined ? 'review' : CHOICES[search.show];
  return (
    <>
      <ReportHead />
      {mayDecide ? (
        <>
          <ViewLinks
            label="What to review"
            name="show"
            current={search.show}
            views={[
              { value: undefined, title: 'Needs review' },
              { value: 'errors', title: 'Undecided errors' },
              { value: 'later', title: 'Later' },
            ]}
          />
          <Review key={`${report.id} ${choice}`} choice={choice} />
        </>
      ) : (
        <EmptyState title="You cannot decide about this report">
          <p>Only the owner of its site can, with a Pro or Enterprise plan.</p>
        </EmptyState>
      )}
    </>
  );
}

function Review({ choice }: { readonly choice: 'review' | 'errors' | 'later' }) {
  const triage = useTriage(choice);
  const { progress } = triage;
  const [announced, setAnnounced] = useState('');
  return (
    <div className={styles.review}>
      <h2 className="visually-hidden">Review</h2>
      <p className="visually-hidden" role="status">
        {announced}
      </p>
      {progress.whole === 0 ? null : (
        <div className={styles.progress}>
          <progress aria-label="Decided causes" value={progress.decided} max={progress.whole} />
          <span>
            {count(progress.decided)} of {triage.rulesLeft > 0 ? 'at least ' : ''}
            {plural(progress.whole, 'cause')} decided
          </span>
        </div>
      )}
      <QueryView query={triage.queue}>
        {() => {
          if (triage.current !== undefined)
            return <Triage triage={triage} cause={triage.current} onAnnounce={setAnnounced} />;
          return triage.rulesLeft > 0 ? <NextRules queue={triage.queue} /> : <Done choice={choice} triage={triage} />;
        }}
      </QueryView>
    </div>
  );
}

/** Rules of the queue that are still loading, or why they could not be loaded. */
function NextRules({ queue: { error, fetchNextPage } }: Pick<ReturnType<typeof useTriage>, 'queue'>) {
  return error === null ? <LoadingRows rows={3} /> : <QueryError error={error} onRetry={() => void fetchNextPage()} />;
}
