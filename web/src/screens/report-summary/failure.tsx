import { Link } from '@tanstack/react-router';
import { KIND_NAMES } from '../../lib/kinds.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { useReport } from '../../report/report-context.tsx';
import { useRunAgain } from '../../report/use-run-again.ts';
import styles from './screen.module.css';

const ONE_PAGE = 'Only one page was found';
const NO_CREDITS = 'Credits ran out';

/** The consequences of a failed crawl, by failure code. After other failures, pages may be missing. */
const TITLES = new Map([
  ['start_without_links', ONE_PAGE],
  ['start_links_to_routes', ONE_PAGE],
  ['start_links_excluded', ONE_PAGE],
  ['start_links_not_included', ONE_PAGE],
  ['credits_over', NO_CREDITS],
  ['credits_over_in_crawl', NO_CREDITS],
]);

/** Why the crawl failed, and what to do. For a failed report, this is the whole summary. */
export function Failure() {
  const { report, isShared } = useReport();
  const { status, crawl_error: error, crawl_error_code: code } = report;
  if (error === null) return null;
  const hasFailed = status === 'failed';
  const title = TITLES.get(code ?? '') ?? 'Some pages may be missing';
  return (
    <section className={hasFailed ? `${styles.failure} ${styles.failed}` : styles.failure} aria-labelledby="failure">
      <h2 id="failure">{hasFailed ? 'The site could not be checked' : title}</h2>
      <p>{error}</p>
      {isShared ? null : (
        <p className={styles.ways}>
          {title === NO_CREDITS ? <WaysToCredits /> : null}
          {/* Running a report of one page again would find one page again. */}
          {title === NO_CREDITS || title === ONE_PAGE ? null : <RunAgain />}
          {title === NO_CREDITS ? null : <EditAndRun />}
        </p>
      )}
    </section>
  );
}

function RunAgain() {
  const { report } = useReport();
  const runAgain = useRunAgain({ opens: true });
  return <Button onClick={() => void runAgain([report.id])}>Run again</Button>;
}

function EditAndRun() {
  const { report } = useReport();
  return (
    <Link to="/reports/new" search={{ from: report.id }} className={buttonClass()}>
      Edit and run
    </Link>
  );
}

/** Running the report again has the same price, and is refused without credits. */
function WaysToCredits() {
  const { report, base } = useReport();
  const kind = KIND_NAMES.find((each) => (report.checks[each]?.status.failed ?? 0) > 0);
  return (
    <>
      {kind === undefined ? null : (
        <Link to={`${base}/pages`} search={{ [kind]: 'failed' }} className={buttonClass()}>
          Pages that are not checked
        </Link>
      )}
      <Link to="/account/credits" className={buttonClass()}>
        Your credits
      </Link>
    </>
  );
}
