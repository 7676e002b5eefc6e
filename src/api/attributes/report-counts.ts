import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import { shownEngines } from '../../checks/check-attributes.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { passedPages, severeFreePages } from '../../domain/counts.ts';
import { ADDITIVE, count } from '../../domain/schemas.ts';
import { pageCountsOf } from '../../store/pages/page-counts.ts';
import type { CountsOfKind, ReportCheckCounts, VisibleReport } from '../../store/reports/reports.ts';
import { engineSchema, issueCounts, issueCountsSchema } from './issue-counts.ts';

/** The counts of reports: now, and when they ended. */

const CHECKS_BY_STATUS = Type.Object(
  {
    pending: count('Checks that have not run yet.', { examples: [0] }),
    checked: count('Checks that have run.', { examples: [4] }),
    failed: count('Checks that failed. Their web pages show the reasons.', { examples: [1] }),
  },
  { description: 'Number of web pages with each status.' },
);

const CHECKED_PAGES = {
  passed: count('Checked web pages without unmuted errors.', { examples: [3] }),
  with_errors: count('Checked web pages with unmuted errors.', { examples: [1] }),
};

function checkedPages({ isGraded }: EngineDescription) {
  const severe = count('Checked web pages without critical or serious errors.', { examples: [3] });
  return Type.Object(
    { ...CHECKED_PAGES, ...(isGraded && { severe_free: severe }) },
    {
      description: 'Number of web pages by result of the check. `passed` and `with_errors` add up to `status.checked`.',
      ...ADDITIVE,
    },
  );
}

export function checksSchema(engine: EngineDescription) {
  const issues = Type.Object(issueCountsSchema(engine.isGraded), { description: 'The totals of all web pages.' });
  return engineSchema(
    engine,
    Type.Object({ status: CHECKS_BY_STATUS, pages: checkedPages(engine), issues }),
    `The ${engine.words} checks.`,
  );
}

export function checksAtEndSchema(engine: EngineDescription) {
  const issues = Type.Object(issueCountsSchema(engine.isGraded), { description: 'The totals of all web pages.' });
  return engineSchema(engine, Type.Object({ pages: checkedPages(engine), issues }), `The ${engine.words} checks.`);
}

export const PAGES = Type.Object({
  checked: count('Web pages whose enabled checks have all run.', { examples: [4] }),
  passed: count('Completely checked web pages without unmuted errors.', { examples: [3] }),
});

/** Renders the counts when a report ended; null if they are still the same. */
export function countsAtEnd(report: VisibleReport) {
  if (report.at_end === null) return null;
  const counts = ({ checks, ...pages }: Pick<VisibleReport, 'checked_pages' | 'passed_pages'> & CountsByKind) => ({
    pages: pageCountsOf(pages),
    checks: Object.fromEntries(
      shownEngines(Object.keys(report.checks)).map(({ kind, isGraded }) => {
        const of = checks[kind];
        return [kind, of === undefined ? null : countsOf(of, isGraded)];
      }),
    ),
  });
  const [then, now] = [counts(report.at_end), counts(report)];
  return isDeepStrictEqual(then, now) ? null : then;
}

interface CountsByKind {
  readonly checks: NonNullable<VisibleReport['at_end']>['checks'];
}

export function checksOf({ isGraded }: EngineDescription, counts: ReportCheckCounts | undefined) {
  if (counts === undefined) return null;
  const { pending, checked, failed } = counts;
  return { status: { pending, checked, failed }, ...countsOf(counts, isGraded) };
}

function countsOf(counts: CountsOfKind, isGraded: boolean) {
  const severe = isGraded && { severe_free: severeFreePages(counts) };
  const pages = { passed: passedPages(counts), with_errors: counts.with_errors, ...severe };
  return { pages, issues: issueCounts(counts, isGraded) };
}
