import { Link } from '@tanstack/react-router';
import type { List } from '../../api/client.ts';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { criteriaOf } from '../../lib/criteria.ts';
import { faultsIn } from '../../lib/faults.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';

/** How to fix an issue type, what exactly is wrong, and where to read more. */
export function Remedy({
  kind,
  issue,
  sample,
  isExample,
}: {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  /** The first of the occurrences that are shown. What axe says to fix is the same for all with its markup. */
  readonly sample: List<'occurrence'> | undefined;
  /** Whether occurrences with other markup are shown, too. */
  readonly isExample: boolean;
}) {
  const { base } = useReport();
  const faults = faultsIn(sample?.items[0]?.failure_summary ?? null);
  return (
    <section className={styles.remedy} aria-labelledby="remedy">
      <h2 id="remedy">How to fix</h2>
      <p>{remedyOf(issue, kind)}</p>
      {faults === null ? null : (
        <div>
          <p className="soft small">What is wrong{isExample ? ' with the first element' : ''}:</p>
          <p className={styles.summary}>{faults}</p>
        </div>
      )}
      {'help_url' in issue ? (
        <p>
          <a href={issue.help_url} rel="noreferrer" target="_blank">
            About the rule {issue.rule_id}
            <span aria-hidden="true"> ↗</span>
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>{' '}
          <span className="soft small">{criteriaOf(issue.tags)}</span>
        </p>
      ) : null}
      <p className={styles.tags}>
        <span className="soft small">Tags</span>
        {issue.tags.map((tag) => (
          <Link key={tag} to={`${base}/${KINDS[kind].path}`} search={{ tags: tag }} className={styles.tag}>
            {tag}
          </Link>
        ))}
      </p>
    </section>
  );
}

/** What the service says, and why it is shown once in a list of many: markup is often written in one place. */
function remedyOf(issue: CommonIssue, kind: Kind): string {
  const said = issue.remedy ?? 'Change the occurrences below as the message says.';
  return kind !== 'link' && issue.num_web_pages > 1
    ? `${said} The same markup on several pages is often written only once, in a template.`
    : said;
}
