import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { discoveredUrlsQuery } from '../../api/queries/discovered-urls.ts';
import { useReport } from '../../frame/report-context.tsx';
import { plural } from '../../lib/formats.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { NOT_CHECKED, OUTCOME_WORDS } from '../../lib/outcomes.ts';
import styles from './screen.module.css';

/** How many URLs have each outcome. */
export function coverageQuery(report: string) {
  return discoveredUrlsQuery(report, { 'page[size]': 1 });
}

/** What the report does not cover, and why. */
export function NotChecked() {
  const { report, base } = useReport();
  const urls = useQuery(coverageQuery(report.id));
  const outcomes = urls.data?.meta.outcomes;
  if (outcomes === undefined) return null;
  const left = NOT_CHECKED.filter((outcome) => outcomes[outcome] > 0);
  const failed = KIND_NAMES.filter((kind) => (report.checks[kind]?.status.failed ?? 0) > outcomes.failed);
  return (
    <section className={styles.coverage} aria-labelledby="not-checked">
      <h2 id="not-checked">Not checked</h2>
      {left.length + failed.length === 0 ? (
        <p className={styles.soft}>Every page that was found was checked.</p>
      ) : (
        <ul className={styles.lines}>
          {left.map((outcome) => (
            <li key={outcome}>
              <Link to={`${base}/urls`} search={{ outcome }}>
                {plural(outcomes[outcome], 'URL')}
              </Link>{' '}
              {OUTCOME_WORDS[outcome]}
            </li>
          ))}
          {failed.map((kind) => (
            <li key={kind}>
              <Link to={`${base}/pages`} search={{ [kind]: 'failed' }}>
                {plural(report.checks[kind]?.status.failed ?? 0, 'page')}
              </Link>{' '}
              whose {kind === 'html' ? 'HTML' : KINDS[kind].title.toLowerCase()} could not be checked
            </li>
          ))}
        </ul>
      )}
      <p className={styles.soft}>
        <Link to={`${base}/urls`}>{plural(urls.data?.total ?? 0, 'URL was', 'URLs were')} found in all</Link>
      </p>
    </section>
  );
}
