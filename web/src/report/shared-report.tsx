import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { severeFreeWords } from 'sitewarden-client/severe-free';
import { count, dateTime, plural } from '../lib/formats.ts';
import { KIND_NAMES, KINDS, type Kind, kindsOf } from '../lib/kinds.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/notes.tsx';
import { SeverityGlyph } from '../parts/severity.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { FirstProblems } from './first-problems.tsx';
import { useReport } from './report-context.tsx';
import { ReportHead } from './report-head.tsx';
import styles from './shared-report.module.css';
import { useReviewedElements } from './use-reviewed.ts';
import { Verdict } from './verdict.tsx';

/**
 * A report for readers with the share link: what passes, what matters most, and whom problems affect.
 * @param children content after what passes, in a report that has ended
 */
export function SharedReport({ children }: { readonly children?: ReactNode }) {
  const { report } = useReport();
  const { shared_by: sharedBy, status, finished_at: finishedAt } = report;
  return (
    <>
      <ReportHead
        actions={
          <>
            <DownloadMenu />
            <Button onClick={() => print()}>Print</Button>
          </>
        }
      />
      <p className={styles.from}>
        {sharedBy == null ? 'Shared with you' : `Shared by ${sharedBy}`}
        {finishedAt === null ? '' : `, checked on ${dateTime(finishedAt)}`}
      </p>
      {status === 'failed' ? (
        <ErrorNote title="The site could not be checked" detail={report.crawl_error ?? 'No page could be reached.'} />
      ) : (
        <>
          <p>
            {checkedPages(report)} checked for {checkedFor(report)}.
            {report.checks.a11y == null ? '' : ' Automated checks find only some barriers.'}
            <Reviewed />
          </p>
          <Verdict />
          <ul className={styles.results}>
            {KIND_NAMES.map((kind) => (
              <Result key={kind} kind={kind} />
            ))}
            <NotChecked />
          </ul>
          {children}
          {status === 'finished' ? (
            <FirstProblems />
          ) : (
            <p>The checks are still running. This page updates automatically.</p>
          )}
        </>
      )}
    </>
  );
}

/** How many elements people decided about, and how many still need review. */
function Reviewed() {
  const reviewed = useReviewedElements();
  if (reviewed === null) return null;
  const { decided, waiting } = reviewed;
  const needs = waiting === 1 ? 'needs' : 'need';
  if (decided === 0) return waiting === 0 ? null : ` ${plural(waiting, 'element')} ${needs} review by a person.`;
  return ` A person reviewed ${plural(decided, 'element')}${waiting === 0 ? '' : `; ${count(waiting)} still ${needs} review`}.`;
}

const SUBJECTS: Readonly<Record<Kind, string>> = {
  html: 'correct HTML',
  a11y: 'barriers',
  link: 'broken links',
};

/** Returns `10 pages were`, or `10 of 14 pages were`. */
function checkedPages({ num_pages: found, pages }: ReturnType<typeof useReport>['report']): string {
  const checked = pages?.checked ?? found;
  const share = checked === found ? '' : `${count(checked)} of `;
  return `${share}${plural(found, 'page')} ${checked === 1 ? 'was' : 'were'}`;
}

function checkedFor(report: ReturnType<typeof useReport>['report']): string {
  const subjects = kindsOf(report).map((kind) => SUBJECTS[kind]);
  return new Intl.ListFormat('en').format(subjects);
}

const CHECKS: Readonly<Record<Kind, string>> = {
  html: 'HTML check',
  a11y: 'accessibility check',
  link: 'link check',
};

/** The number of pages that pass one check. */
function Result({ kind }: { readonly kind: Kind }) {
  const { report, base } = useReport();
  const check = report.checks[kind];
  if (check == null || check.status.checked === 0) return null;
  const { passed } = check.pages;
  const isFine = passed === check.status.checked;
  return (
    <li>
      <SeverityGlyph of={isFine ? 'passed' : 'error'} />
      <span>
        <strong>
          {isFine ? 'All' : count(passed)} {isFine ? '' : 'of '}
          {plural(check.status.checked, 'page')}
        </strong>{' '}
        {passed === 1 ? 'passes' : 'pass'} the {CHECKS[kind]}.{' '}
        {isFine || !('severe_free' in check.pages)
          ? null
          : `${severeFreeWords({ pages: check.pages.severe_free, checked: check.status.checked })}. `}
        {isFine ? null : <Link to={`${base}/${KINDS[kind].path}`}>View all problems</Link>}
      </span>
    </li>
  );
}

/** The number of pages that could not be checked: once if all failed checks have the same number, otherwise for each. */
function NotChecked() {
  const { report, base } = useReport();
  const failed = kindsOf(report).map((kind) => ({ kind, pages: report.checks[kind]?.status.failed ?? 0 }));
  const [first] = failed;
  const isSame = failed.every(({ pages }) => pages === first?.pages);
  const shown = (isSame ? failed.slice(0, 1) : failed).filter(({ pages }) => pages > 0);
  return shown.map(({ kind, pages }) => (
    <li key={kind}>
      <SeverityGlyph of="unchecked" />
      <span>
        <strong>{plural(pages, 'page')}</strong> could not be checked{isSame ? '' : ` for ${SUBJECTS[kind]}`}.{' '}
        <Link to={`${base}/pages`} search={{ [kind]: 'failed' }}>
          View these pages
        </Link>
      </span>
    </li>
  ));
}
