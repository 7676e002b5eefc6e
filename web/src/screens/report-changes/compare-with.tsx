import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useReport } from '../../frame/report-context.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { useSiteRuns } from '../../frame/use-site-runs.ts';
import { dateTime } from '../../lib/formats.ts';
import styles from './screen.module.css';

/** Which report of the site the open one is compared with. */
export function CompareWith({ current }: { readonly current: string | null }) {
  const { report } = useReport();
  const { search, set } = useSearchState();
  const { runs } = useSiteRuns();
  const id = useId();
  const chosen = search['with'];
  if (runs.length === 0 && current === null) return null;
  return (
    <p className={styles.compare}>
      <label htmlFor={id}>Compared with</label>
      <select
        id={id}
        value={chosen ?? ''}
        onChange={(event) => set({ with: event.target.value, change: '', pages: '' })}
      >
        <option value="">the previous report</option>
        {chosen === undefined || runs.some((run) => run.id === chosen) ? null : (
          <option value={chosen}>another report</option>
        )}
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            {dateTime(run.finished_at ?? run.inserted_at)}
            {run.inserted_at > report.inserted_at ? ' (later)' : ''}
          </option>
        ))}
      </select>
      {current === null ? null : <Link to={`/reports/${current}`}>Open that report</Link>}
    </p>
  );
}
