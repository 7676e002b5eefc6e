import { Link } from '@tanstack/react-router';
import { criteriaWords } from 'sitewarden-client/standards';
import type { List } from '../../api/client.ts';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { faultsIn } from '../../lib/faults.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';

/** Whom an issue type hinders, how to fix it, what exactly is wrong, and where to learn more. */
export function Remedy({
  kind,
  issue,
  sample,
  isExample,
}: {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  /** The first of the listed occurrences. Occurrences with the same markup have the same advice from axe. */
  readonly sample: List<'occurrence'> | undefined;
  /** Whether occurrences with other markup are listed, too. */
  readonly isExample: boolean;
}) {
  const { base, report } = useReport();
  const faults = faultsIn(sample?.items[0]?.failure_summary ?? null);
  return (
    <section className={styles.remedy} aria-labelledby="remedy">
      {issue.effect_on_visitors === null ? null : (
        <>
          <h2>For visitors</h2>
          <p>{issue.effect_on_visitors}</p>
        </>
      )}
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
            About rule {issue.rule_id}
            <span aria-hidden="true"> ↗</span>
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>{' '}
          <span className="soft small">{criteriaWords(issue.tags, report.standard)}</span>
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

/** The advice of the service, with a note about templates, because repeated markup often comes from one. */
function remedyOf(issue: CommonIssue, kind: Kind): string {
  const said = issue.remedy ?? 'Fix the occurrences below as the message describes.';
  return kind !== 'link' && issue.num_web_pages > 1
    ? `${said} Markup that repeats on several pages often comes from one template.`
    : said;
}
