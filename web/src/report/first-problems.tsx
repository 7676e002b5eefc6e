import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Item } from '../api/client.ts';
import { fixesQuery } from '../api/queries/reports.ts';
import { effectOf } from '../lib/effects.ts';
import { count, plural } from '../lib/formats.ts';
import { KINDS } from '../lib/kinds.ts';
import { QueryView } from '../live/query-view.tsx';
import { Button } from '../parts/button.tsx';
import { SeverityLabel } from '../parts/severity.tsx';
import { AlsoFound } from './also-found.tsx';
import { severityOf } from './issue-words.ts';
import { useReport } from './report-context.tsx';
import styles from './shared-report.module.css';

/** The number of problems that are shown at first. */
const shownFirst = 20;

/** The fix plan for readers. Dead links are always included: each affects few pages. */
export function FirstProblems() {
  const { report } = useReport();
  const fixes = useQuery(fixesQuery(report.id));
  const [isLong, setLong] = useState(false);
  return (
    <section className={styles.problems} aria-labelledby="first">
      <h2 id="first">What matters most</h2>
      <QueryView query={fixes} rows={3}>
        {({ items, leftOut }) => {
          if (items.length === 0) return <p>Nothing: no page has an error.</p>;
          const problems = [...Map.groupBy(items, issueOf)];
          const shown = problems.filter(([, [fix]], index) => isLong || index < shownFirst || fix?.kind === 'link');
          return (
            <>
              <ol>
                {shown.map(([issue, fixes]) => (
                  <Problem key={issue} issue={issue} fixes={fixes} />
                ))}
              </ol>
              {shown.length < problems.length ? (
                <>
                  <Button onClick={() => setLong(true)}>Show all {count(problems.length)} problems</Button>
                  <p className="on-paper">And {plural(problems.length - shown.length, 'more problem')}.</p>
                </>
              ) : null}
              {leftOut > 0 ? <p>{plural(leftOut, 'more cause')} of errors: see the lists of issues.</p> : null}
            </>
          );
        }}
      </QueryView>
    </section>
  );
}

/** A problem with its effect, and the elements that have it. */
function Problem({ issue, fixes }: { readonly issue: string; readonly fixes: readonly Item<'fix'>[] }) {
  const { base } = useReport();
  const [first] = fixes;
  if (first === undefined) return null;
  return (
    <li>
      <p className={styles.problem}>
        <SeverityLabel of={severityOf({ issue_type: 'error', impact: first.impact }, first.kind)} /> {first.message}
      </p>
      <p>
        {effectOf(first)} <Link to={`${base}/${issue}`}>Details</Link>
      </p>
      <ul className={styles.elements}>
        {fixes.map((fix) => (
          <li key={fix.id}>
            On {plural(fix.num_web_pages, 'page')}: <code>{fix.markup}</code> <OnAPage fix={fix} />
            <AlsoFound fix={fix} />
          </li>
        ))}
      </ul>
    </li>
  );
}

/** A link to an affected page, in its screenshot if the report has one. */
function OnAPage({ fix: { kind, related } }: { readonly fix: Item<'fix'> }) {
  const { report, base } = useReport();
  const view = kind === 'a11y' && report.store_screenshots ? 'screenshot' : 'source';
  const [page, issue] = [related.web_page, related.common_issue].map((path) => path?.split('/').at(-1));
  return (
    <Link to={`${base}/pages/${page}`} search={{ common: `${kind}-${issue}`, view }}>
      See it on a page
    </Link>
  );
}

/** Returns the path of the issue type of a fix, relative to the report. */
function issueOf({ kind, related }: Item<'fix'>): string {
  return `${KINDS[kind].path}/${related.common_issue?.split('/').at(-1) ?? ''}`;
}
