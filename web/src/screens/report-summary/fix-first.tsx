import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { causeOf } from 'sitewarden-client/occurrences';
import type { Item } from '../../api/client.ts';
import { fixesQuery } from '../../api/queries/reports.ts';
import { count, plural } from '../../lib/formats.ts';
import { errorsIn, KINDS, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { SeverityLabel } from '../../parts/severity.tsx';
import { AlsoFound } from '../../report/also-found.tsx';
import { severityOf } from '../../report/issue-words.ts';
import { useReport } from '../../report/report-context.tsx';
import { StyleRules } from '../../report/style-rule.tsx';
import styles from './screen.module.css';

const shownFirst = 5;
const shownMore = 50;

/** The fix plan: the most effective fixes in their order, with the number of passing pages after each. */
export function FixFirst() {
  const { report } = useReport();
  const [shown, setShown] = useState(shownFirst);
  const fixes = useQuery(fixesQuery(report.id));
  return (
    <section className={styles.fixes} aria-labelledby="fix-first">
      <h2 id="fix-first">Fix first</h2>
      <QueryView query={fixes} rows={3}>
        {({ items, leftOut, isCurrent }) =>
          items.length === 0 ? (
            <NothingToFix isCurrent={isCurrent} />
          ) : (
            <>
              <p className="soft small">Ordered so that pages pass as soon as possible, not by the number of errors.</p>
              <ol>
                {items.slice(0, shown).map((fix) => (
                  <FixLine
                    key={fix.id}
                    fix={fix}
                    isOneOfSeveral={items.some(({ id, message }) => id !== fix.id && message === fix.message)}
                  />
                ))}
              </ol>
              {items.length > shown ? (
                <Button onClick={() => setShown(shown + shownMore)}>
                  {items.length > shown + shownMore
                    ? `Show ${count(shownMore)} more of ${count(items.length)}`
                    : `Show all ${count(items.length)}`}
                </Button>
              ) : null}
              {items.length > shown ? (
                <p className="on-paper">And {plural(items.length - shown + leftOut, 'more cause')} of errors.</p>
              ) : null}
              {leftOut > 0 && items.length <= shown ? (
                <p className="soft small">{plural(leftOut, 'more cause')} of errors: see the lists of issues.</p>
              ) : null}
            </>
          )
        }
      </QueryView>
    </section>
  );
}

function NothingToFix({ isCurrent }: { readonly isCurrent: boolean }) {
  const errors = errorsIn(useReport().report);
  return (
    <p className="soft small" role="status">
      {!isCurrent
        ? 'Computing what to fix first…'
        : errors === 0
          ? 'Nothing: no page has errors.'
          : `See the lists of issues for ${plural(errors, 'error')}.`}
    </p>
  );
}

function FixLine({
  fix,
  isOneOfSeveral,
}: {
  readonly fix: Item<'fix'>;
  /** Whether other fixes have the same message, so that only the markup distinguishes them. */
  readonly isOneOfSeveral: boolean;
}) {
  const { base, report } = useReport();
  const issue = fix.related.common_issue?.split('/').at(-1) ?? '';
  const { passing_before_plan: before, passing_after_plan: after } = fix;
  const checked = report.pages?.checked ?? report.num_pages;
  return (
    <li className={styles.fix}>
      <span className="soft small">{count(fix.position)}</span>
      <span className={styles.message}>
        <SeverityLabel of={severityOf({ issue_type: 'error', impact: fix.impact }, fix.kind)} words={false} />{' '}
        <Link to={`${base}/${KINDS[fix.kind].path}/${issue}`} search={{ cluster: fix.cluster }}>
          {isOneOfSeveral ? fix.message.replace(/\.$/, '') : fix.message}
          {isOneOfSeveral ? (
            <>
              : {fix.markup_differs ? 'such as ' : null}
              <code>{causeOf(fix)}</code>
            </>
          ) : null}
        </Link>
      </span>
      <span className={styles.effect}>
        {after > before
          ? `${count(before)} → ${count(after)} of ${plural(checked, 'page passes', 'pages pass')}`
          : `removes ${count(fix.errors)} of ${plural(errorsIn(report), 'error')}`}
      </span>
      {isOneOfSeveral ? null : (
        <span className={styles.markup}>
          {fix.markup_differs ? <span className="soft small">such as </span> : null}
          <code>{causeOf(fix)}</code>
        </span>
      )}
      {fix.style_rule === null && fix.background_rule === null ? null : (
        <span className={styles.rule}>
          <StyleRules of={fix} howMany={fix.how_many} />
        </span>
      )}
      <span className="soft small">
        {plural(fix.how_many, OCCURRENCE_WORDS[fix.kind])} on {plural(fix.num_web_pages, 'page')}
        <AlsoFound fix={fix} />
      </span>
    </li>
  );
}
