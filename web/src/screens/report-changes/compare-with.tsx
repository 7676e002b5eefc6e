import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { Item } from '../../api/client.ts';
import { reportQuery, reportsQuery } from '../../api/queries/reports.ts';
import { dateTime, shortUrl } from '../../lib/formats.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useSettled } from '../../live/use-settled.ts';
import { Button } from '../../parts/button.tsx';
import { useReport } from '../../report/report-context.tsx';
import { reportName } from '../../report/site-state.ts';
import { useSiteRuns } from '../../report/use-site-runs.ts';
import styles from './screen.module.css';

/** Chooses the report of the site to compare with. */
export function CompareWith({ current }: { readonly current: string | null }) {
  const { report } = useReport();
  const { search, set } = useSearchState('/reports/$report/changes');
  const { runs, isLoading } = useSiteRuns();
  const id = useId();
  const chosen = search.with;
  const isOther = chosen !== undefined && !isLoading && !runs.some((run) => run.id === chosen);
  const { data: other } = useQuery({ ...reportQuery(chosen ?? ''), enabled: isOther });
  return (
    <div className={styles.compare}>
      <label htmlFor={id}>Compared with</label>
      <select
        id={id}
        value={chosen ?? ''}
        onChange={(event) => set({ with: event.target.value, change: '', pages: '' })}
      >
        <option value="">the previous report</option>
        <optgroup label="This site">
          {runs.map((run) => (
            <option key={run.id} value={run.id}>
              {dateTime(run.finished_at ?? run.inserted_at)}
              {run.inserted_at > report.inserted_at ? ' (later)' : ''}
            </option>
          ))}
        </optgroup>
        {other === undefined ? null : (
          <optgroup label="Another site">
            <option value={other.id}>{nameOf(other)}</option>
          </optgroup>
        )}
      </select>
      {current === null ? null : <Link to={`/reports/${current}`}>Open this report</Link>}
      {other === undefined ? null : <OtherSite other={other} />}
      <OtherReports chosen={chosen} onChoose={(id) => set({ with: id, change: '', pages: '' })} />
    </div>
  );
}

/** Warns that the reports belong to different sites, so that a difference is not a change of one site. */
function OtherSite({ other }: { readonly other: Item<'report'> }) {
  const { report } = useReport();
  const isSameUrl = other.starting_url === report.starting_url;
  return (
    <p className={styles.other}>
      {isSameUrl
        ? 'The other report is of another site with this address.'
        : `The other report is of ${reportName(other)}, so differences are not changes to one site over time.`}
    </p>
  );
}

const othersMax = 50;

/** Finds finished reports of other sites by the names and addresses of the sites. */
function OtherReports({
  chosen,
  onChoose,
}: {
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  const { report } = useReport();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const wanted = useSettled(text.trim());
  const query = { 'filter[status]': 'finished', 'filter[text]': wanted || undefined, 'page[size]': othersMax };
  const reports = useQuery({ ...reportsQuery(query), enabled: isOpen });
  const id = useId();
  const others = (reports.data?.items ?? []).filter(
    ({ id: other, related }) => other !== report.id && related.site !== report.related.site,
  );
  return (
    <details className={styles.others} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Compare with another site</summary>
      <label htmlFor={id}>Name or address contains</label>{' '}
      <input id={id} value={text} onChange={(event) => setText(event.target.value)} />
      <ul>
        {others.map((other) => (
          <li key={other.id}>
            <Button look="quiet" aria-pressed={other.id === chosen} onClick={() => onChoose(other.id)}>
              {nameOf(other)}
            </Button>
          </li>
        ))}
      </ul>
      <p className="soft small">
        {reports.data === undefined || others.length > 0 ? null : 'No other finished reports match.'}
        {(reports.data?.total ?? 0) > othersMax
          ? `Only the newest ${othersMax} reports are searched. Enter part of a name or address to find others.`
          : null}
      </p>
    </details>
  );
}

function nameOf(report: Item<'report'>): string {
  const { site_name: name, starting_url: url, finished_at: end, inserted_at: start } = report;
  const address = name ? `, ${shortUrl(url)}` : '';
  return `${reportName(report)}${address}, ${dateTime(end ?? start)}`;
}
