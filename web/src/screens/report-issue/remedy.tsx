import { Link } from '@tanstack/react-router';
import type { Item, List } from '../../api/client.ts';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { useReport } from '../../frame/report-context.tsx';
import { criteriaOf } from '../../lib/criteria.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import styles from './screen.module.css';

/** How to fix a kind of issue: what its check says, and where to read more. */
export function Remedy({
  kind,
  issue,
  sample,
  isExample,
}: {
  readonly kind: Kind;
  readonly issue: CommonIssue;
  /** The first of the places that are shown. What axe says to fix is the same for all with its markup. */
  readonly sample: List<'occurrence'> | undefined;
  /** Whether places with other markup are shown, too. */
  readonly isExample: boolean;
}) {
  const { base } = useReport();
  const summary = failureOf(sample?.items[0]);
  return (
    <section className={styles.remedy} aria-labelledby="remedy">
      <h2 id="remedy">How to fix</h2>
      {'help_url' in issue ? (
        <>
          {summary !== null && isExample ? <p className={styles.soft}>For example, the first element:</p> : null}
          {summary === null ? null : <p className={styles.summary}>{summary}</p>}
          <p>
            <a href={issue.help_url} rel="noreferrer" target="_blank">
              About the rule {issue.rule_id}
              <span aria-hidden="true"> ↗</span>
              <span className="visually-hidden"> (opens in a new tab)</span>
            </a>{' '}
            <span className={styles.soft}>{criteriaOf(issue.tags)}</span>
          </p>
        </>
      ) : (
        <p>{kind === 'link' ? linkRemedy(issue.issue_type) : htmlRemedy(issue)}</p>
      )}
      <p className={styles.tags}>
        <span className={styles.soft}>Tags</span>
        {issue.tags.map((tag) => (
          <Link key={tag} to={`${base}/${KINDS[kind].path}`} search={{ tags: tag }} className={styles.tag}>
            {tag}
          </Link>
        ))}
      </p>
    </section>
  );
}

/** Returns what axe says to fix at a place, without its heading when it names a single thing; null if it says nothing. */
function failureOf(place: Item<'occurrence'> | undefined): string | null {
  const text = place?.failure_summary ?? null;
  return text === null ? null : text.replace(/^ {2}/gm, '• ');
}

function htmlRemedy(issue: CommonIssue): string {
  if ('issue_sub_type' in issue && issue.issue_sub_type === 'fatal') {
    return 'The checker stopped here: fix this first, then check the page again to see what comes after.';
  }
  return issue.issue_type === 'error'
    ? 'The message says what the HTML standard does not allow. The places below show where: the same markup is often written only once, in a template.'
    : 'A warning is allowed, but often a mistake. Look at the places, and mute it where it is meant.';
}

function linkRemedy(type: CommonIssue['issue_type']): string {
  return type === 'error'
    ? 'Correct the link or remove it. The pages below have it.'
    : 'The link could not be checked for certain: open it, and mute it if it works.';
}
