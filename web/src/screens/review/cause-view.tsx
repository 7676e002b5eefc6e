import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { causeOf } from 'sitewarden-client/occurrences';
import { criteriaWords } from 'sitewarden-client/standards';
import type { Item } from '../../api/client.ts';
import type { ReviewedCause } from '../../api/queries/review.ts';
import { faultsIn } from '../../lib/faults.ts';
import { count, pathOf, plural } from '../../lib/formats.ts';
import { KINDS, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { occurrenceLink } from '../../lib/occurrence-link.ts';
import { SeverityLabel } from '../../parts/severity.tsx';
import { DecisionLine } from '../../report/decision-line.tsx';
import { messageOf, severityOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { Crop } from './crop.tsx';
import styles from './screen.module.css';
import { Source } from './source.tsx';

/** A cause: its rule, what has to be decided, and the first undecided occurrence in the screenshot and in the source. */
export function CauseView({
  cause,
  occurrence,
  heading,
}: {
  readonly cause: ReviewedCause;
  /** Undefined while it loads. */
  readonly occurrence: Item<'occurrence'> | undefined;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}) {
  const { base } = useReport();
  const { kind, issue, cluster } = cause;
  const faults = faultsIn(occurrence?.failure_summary ?? null);
  return (
    <>
      <header className={styles.head}>
        <h3 ref={heading} tabIndex={-1} className={styles.title}>
          {messageOf(issue)}
        </h3>
        <p className={styles.facts}>
          <SeverityLabel of={severityOf(issue, kind)} />
          <span>
            {plural(cluster.how_many, OCCURRENCE_WORDS[kind])} on {plural(cluster.num_web_pages, 'page')} with this
            cause
          </span>
          {cluster.cause === null ? null : <code>{causeOf(cluster)}</code>}
          <Link to={`${base}/${KINDS[kind].path}/${issue.id}`}>
            {'rule_id' in issue ? `All of ${issue.rule_id}` : 'All occurrences of this issue'}
          </Link>
        </p>
      </header>
      {faults === null ? null : <p className={styles.faults}>{faults}</p>}
      {occurrence === undefined ? null : <Evidence cause={cause} occurrence={occurrence} />}
    </>
  );
}

/** The occurrence in the screenshot next to its source. */
function Evidence({ cause, occurrence }: { readonly cause: ReviewedCause; readonly occurrence: Item<'occurrence'> }) {
  const { report, base } = useReport();
  const { kind } = cause;
  const hasScreenshot = kind === 'a11y' && report.store_screenshots;
  const evidence = useRef<HTMLDivElement>(null);
  const { id } = occurrence;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each occurrence has to be visible above the buttons.
  useEffect(() => {
    const element = evidence.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => element.scrollIntoView({ block: 'nearest' }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [id]);
  const { to, search } = occurrenceLink(base, kind, { ...occurrence, occurrence: id }, undefined);
  // The id of its issue changes when something is decided about other occurrences.
  const link = { to, search: { ...search, common: `${kind}-${cause.issue.id}` } };
  return (
    <div ref={evidence} className={styles.evidence}>
      <p className={styles.facts}>
        <Link {...link}>
          {pathOf(occurrence.url)}
          {occurrence.line === null ? '' : `, line ${count(occurrence.line)}`}
        </Link>
        <a href={occurrence.url} rel="noreferrer" target="_blank">
          Open page
          <span aria-hidden="true"> ↗</span>
          <span className="visually-hidden"> (opens in a new tab)</span>
        </a>
      </p>
      {occurrence.decision === null ? null : <DecisionLine kind={kind} decision={occurrence.decision} />}
      <div className={hasScreenshot ? styles.views : ''}>
        {hasScreenshot ? (
          <Crop occurrence={occurrence} to={{ to, search: { ...link.search, view: 'screenshot' } }} />
        ) : null}
        <div className={styles.source}>
          <Source cause={cause} occurrence={occurrence} />
        </div>
      </div>
      {kind === 'a11y' && !report.store_screenshots ? (
        <p className="soft small">To see the element, too, run the report again with “A screenshot of each page”.</p>
      ) : null}
    </div>
  );
}

/** Whom an error would hinder, how to fix it, and where to learn more. */
export function Help({ issue }: Pick<ReviewedCause, 'issue'>) {
  const { report } = useReport();
  return (
    <div className={styles.help}>
      {issue.effect_on_visitors === null ? null : (
        <div>
          <h4>For visitors</h4>
          <p>{issue.effect_on_visitors}</p>
        </div>
      )}
      <div>
        <h4>If it is an error</h4>
        <p>{issue.remedy ?? 'Fix it as the message describes.'}</p>
      </div>
      {'help_url' in issue ? (
        <div>
          <h4>{criteriaWords(issue.tags, report.standard) || 'Rule'}</h4>
          <p>
            <a href={issue.help_url} rel="noreferrer" target="_blank">
              About rule {issue.rule_id}
              <span aria-hidden="true"> ↗</span>
              <span className="visually-hidden"> (opens in a new tab)</span>
            </a>
          </p>
        </div>
      ) : null}
    </div>
  );
}
