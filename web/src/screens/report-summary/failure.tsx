import { Link } from '@tanstack/react-router';
import { useReport } from '../../frame/report-context.tsx';
import { useRunAgain } from '../../frame/use-run-again.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import styles from './screen.module.css';

/** Why the crawl went wrong, and the ways out. A report that failed has nothing else to show. */
export function Failure() {
  const { report, isShared } = useReport();
  const runAgain = useRunAgain();
  if (report.crawl_error === null) return null;
  const hasFailed = report.status === 'failed';
  return (
    <section className={hasFailed ? `${styles.failure} ${styles.failed}` : styles.failure} aria-labelledby="failure">
      <h2 id="failure">{hasFailed ? 'The site could not be checked' : 'Some pages may be missing'}</h2>
      <p>{report.crawl_error}</p>
      {isShared ? null : (
        <p className={styles.ways}>
          <Button onClick={() => void runAgain([report.id])}>Run again</Button>
          <Link to="/reports/new" search={{ from: report.id }} className={buttonClass()}>
            Edit and run
          </Link>
        </p>
      )}
    </section>
  );
}
