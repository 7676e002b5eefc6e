import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { List } from '../../api/client.ts';
import { issueChangesQuery } from '../../api/queries/changes.ts';
import { LaterReport } from '../../frame/later-report.tsx';
import { QueryView } from '../../frame/query-view.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { useSiteRuns } from '../../frame/use-site-runs.ts';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { type KindChange, kindChanges } from '../../lib/kind-changes.ts';
import styles from './screen.module.css';

/** The longest page of a list. Comparisons with more rows are summed up by places. */
const rowsMax = 100;

const KIND_LINES = [
  ['new', '+', 'new kind', 'new,regressed'],
  ['more', '▴', 'kind with more places', 'new,regressed'],
  ['fewer', '▾', 'kind with fewer places', 'fixed'],
  ['fixed', '−', 'fixed kind', 'fixed'],
  ['same', '=', 'kind as before', 'persisting'],
] as const satisfies readonly (readonly [KindChange, string, string, string])[];

const PLACE_LINES = [
  ['new', '+', 'new place'],
  ['regressed', '↺', 'place back again', 'places back again'],
  ['fixed', '−', 'fixed place'],
  ['persisting', '=', 'place as before', 'places as before'],
] as const;

/** What changed since the previous report. */
export function sinceQuery(report: string) {
  return issueChangesQuery(report, { 'page[size]': rowsMax });
}

/** What changed since the previous report of the site, and the way to a comparison with another one. */
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
          <option value="">other</option>
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

function SinceLines({ list: { items, total, meta } }: { readonly list: List<'issue_change'> }) {
  const { base } = useReport();
  if (meta.with === null) {
    return <p className="soft small">{meta.is_current ? <LaterReport /> : 'Comparing…'}</p>;
  }
  const kinds = total <= rowsMax ? kindChanges(items) : null;
  const lines =
    kinds === null
      ? PLACE_LINES.map(([change, sign, one, many]) => ({
          ...{ sign, filter: change, number: meta.changes[change] },
          words: plural(meta.changes[change], one, many),
        }))
      : KIND_LINES.map(([change, sign, one, filter]) => ({
          ...{ sign, filter, number: kinds[change] },
          words: plural(kinds[change], one, one.replace('kind', 'kinds')),
        }));
  const shown = lines.filter(({ number }) => number > 0);
  return (
    <>
      <ul className={styles.lines}>
        {shown.map(({ sign, filter, words }) => (
          <li key={words}>
            <span aria-hidden="true" className={styles.sign}>
              {sign}
            </span>
            <Link to={`${base}/changes`} search={{ change: filter }}>
              {words}
            </Link>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p className="soft small">No issues then, and none now.</p> : null}
      {meta.changes.unverified === 0 ? null : (
        <p className="soft small">{count(meta.changes.unverified)} could not be verified this time</p>
      )}
    </>
  );
}
