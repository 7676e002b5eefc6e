import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { causeOf } from 'sitewarden-client/occurrences';
import type { Item } from '../api/client.ts';
import { plural } from '../lib/formats.ts';
import { KINDS, OCCURRENCE_WORDS } from '../lib/kinds.ts';
import { SeverityLabel } from '../parts/severity.tsx';
import { Mark } from '../parts/tags.tsx';
import { AlsoFound } from './also-found.tsx';
import { severityOf } from './issue-words.ts';
import { MoreButton } from './more-button.tsx';
import { useReport } from './report-context.tsx';
import styles from './shared-report.module.css';
import { StyleRules } from './style-rule.tsx';
import { useConfirmed } from './use-reviewed.ts';

type Fix = Item<'fix'>;

/** The number of issue types of a problem that are shown at first. */
const issueTypesFirst = 5;
/** The number of causes that are shown for an issue type: its screen has all of them. */
const causesMax = 3;

/** An effect on visitors, with the issue types that have it. */
export function Problem({ fixes }: { readonly fixes: readonly Fix[] }) {
  const [isLong, setLong] = useState(false);
  const issueTypes = [...Map.groupBy(fixes, issueOf)];
  const shown = isLong ? issueTypes : issueTypes.slice(0, issueTypesFirst);
  const effect = fixes[0]?.effect_on_visitors ?? null;
  return (
    <li>
      {effect === null ? null : <p className={styles.problem}>{effect}</p>}
      {shown.map(([issue, elements]) => (
        <IssueType key={issue} issue={issue} fixes={elements} />
      ))}
      <MoreButton
        left={issueTypes.length - shown.length}
        of={issueTypes.length}
        noun="message"
        onMore={() => setLong(true)}
      />
    </li>
  );
}

/** An issue type in the words of the checker, with the elements that have it. */
function IssueType({ issue, fixes }: { readonly issue: string; readonly fixes: readonly Fix[] }) {
  const { base } = useReport();
  const isConfirmed = useConfirmed().has(issue);
  const [first] = fixes;
  if (first === undefined) return null;
  const left = fixes.slice(causesMax);
  return (
    <div className={styles.issueType}>
      <p>
        <SeverityLabel of={severityOf({ issue_type: 'error', impact: first.impact }, first.kind)} /> {first.message}{' '}
        <Link to={`${base}/${issue}`}>
          Details
          <span className="visually-hidden">
            : {first.message}
            {isConfirmed ? ', reviewed by a person' : ''}
          </span>
        </Link>
        {isConfirmed ? (
          <>
            {' '}
            <Mark>Reviewed by a person</Mark>
          </>
        ) : null}
      </p>
      <ul className={styles.elements}>
        {fixes.slice(0, causesMax).map((fix) => (
          <li key={fix.id}>
            On {plural(fix.num_web_pages, 'page')}
            {/* The message about a broken link ends with the link, and some messages are about no element. */}
            {fix.message.includes(fix.markup) ? (
              '. '
            ) : (
              <>
                : {fix.markup_differs ? 'such as ' : null}
                <code>{causeOf(fix)}</code> {/* Causes with the same colors differ in their style rules. */}
                <StyleRules of={fix} howMany={fix.how_many} />{' '}
              </>
            )}
            <OnAPage fix={fix} />
            <AlsoFound fix={fix} />
          </li>
        ))}
        {left.length === 0 ? null : <li>{leftWords(left)}</li>}
      </ul>
    </div>
  );
}

/** Returns `And 113 more elements, with 23 more causes.` */
function leftWords(fixes: readonly Fix[]): string {
  const noun = OCCURRENCE_WORDS[fixes[0]?.kind ?? 'a11y'];
  const howMany = fixes.reduce((sum, fix) => sum + fix.how_many, 0);
  return `And ${plural(howMany, `more ${noun}`)}, with ${plural(fixes.length, 'more cause')}.`;
}

/** A link to the first occurrence of a fix, in the screenshot of its page if the report has one. */
function OnAPage({ fix: { kind, cluster, num_web_pages: pages, related } }: { readonly fix: Fix }) {
  const { report, base } = useReport();
  const view = kind === 'a11y' && report.store_screenshots ? 'screenshot' : 'source';
  const [page, issue] = [related.web_page, related.common_issue].map((path) => path?.split('/').at(-1));
  return (
    <Link to={`${base}/pages/${page}`} search={{ common: `${kind}-${issue}`, cluster, view }}>
      {pages === 1 ? 'See it on the page' : 'See it on a page'}
    </Link>
  );
}

/** Returns the path of the issue type of a fix, relative to the report. */
function issueOf({ kind, related }: Fix): string {
  return `${KINDS[kind].path}/${related.common_issue?.split('/').at(-1) ?? ''}`;
}
