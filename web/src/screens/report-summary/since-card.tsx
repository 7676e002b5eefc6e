import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CHANGE_WORDS, CHANGES } from 'sitewarden-client/changes';
import type { List } from '../../api/client.ts';
import { issueChangesQuery } from '../../api/queries/changes.ts';
import { CHANGE_SIGNS } from '../../lib/change-signs.ts';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { LaterReport } from '../../report/later-report.tsx';
import { useReport } from '../../report/report-context.tsx';
import { useSiteRuns } from '../../report/use-site-runs.ts';
import styles from './screen.module.css';

/** What changed since the previous report. */
export function sinceQuery(report: string) {
  return issueChangesQuery(report, { 'page[size]': 1 });
}

/** What changed since the previous report of the site, with a way to compare with another one. */
export function SinceCard() {
  const { report } = useReport();
  const changes = useQuery(sinceQuery(report.id));
  return (
    <section className={styles.card} aria-labelledby="since">
      <h2 id="since">
        <SinceTitle withId={changes.data?.meta.with ?? null} />
      </h2>
      <QueryView query={changes} rows={2}>
        {(list) => <SinceLines list={list} />}
      </QueryView>
    </section>
  );
}

function SinceTitle({ withId }: { readonly withId: string | null }) {
  const { base } = useReport();
  const { runs } = useSiteRuns();
  const navigate = useNavigate();
  const previous = runs.find(({ id }) => id === withId);
  return (
    <span className={styles.since}>
      <Link to={`${base}/changes`}>
        {previous?.finished_at == null ? 'Changes' : `Since ${dateTime(previous.finished_at)}`}
      </Link>
      {runs.length < 2 ? null : (
        <select
          aria-label="Compare with another report"
          value=""
          onChange={(event) => void navigate({ to: `${base}/changes`, search: { with: event.target.value } })}
        >
          <option value="">Compare with…</option>
          {runs.map(({ id, finished_at: finishedAt }) => (
            <option key={id} value={id}>
              {dateTime(finishedAt ?? '')}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

/** Page changes: their number, the filter of the list, the sign and the words. */
const PAGES = [
  ['broken_pages', 'broken', '✕', 'broke'],
  ['recovered_pages', 'recovered', '✓', 'recovered'],
] as const;

/** All other numbers count occurrences, and link to them. */
function SinceLines({ list: { meta } }: { readonly list: List<'issue_change'> }) {
  const { base, report } = useReport();
  if (meta.with === null) {
    return <p className="soft small">{meta.is_current ? <LaterReport /> : 'Comparing…'}</p>;
  }
  const shown = CHANGES.filter((change) => meta.changes[change] > 0);
  return (
    <>
      <ul className={styles.lines}>
        {PAGES.map(([name, search, sign, words]) => {
          const pages = report.change?.[name] ?? 0;
          return pages === 0 ? null : (
            <li key={name}>
              <span aria-hidden="true" className={styles.sign}>
                {sign}
              </span>
              <Link to={`${base}/changes`} search={{ pages: search }}>
                {plural(pages, 'page')} {words}
              </Link>
            </li>
          );
        })}
        {shown.map((change) => (
          <li key={change}>
            <span aria-hidden="true" className={styles.sign}>
              {CHANGE_SIGNS[change]}
            </span>
            <Link to={`${base}/changes`} search={{ change }}>
              {count(meta.changes[change])} {CHANGE_WORDS[change]}
            </Link>{' '}
            <span className="soft">in {plural(meta.issue_types[change], 'issue type')}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p className="soft small">No issues then or now.</p> : null}
      {meta.changed_since_end ? (
        <p className="soft small">
          These were the changes when the report ended.{' '}
          <Link to={`${base}/changes`} search={{ at: 'now' }}>
            Compare the current results
          </Link>
        </p>
      ) : null}
    </>
  );
}
