import { alsoFixedBy } from '../../packages/client/causes.ts';
import { causeOf, styleRuleWords } from '../../packages/client/occurrences.ts';
import { measureWords } from '../../packages/client/standards.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { effectOfError, engineOf, followsStandard } from '../checks/registry.ts';
import { foundIn, impactCounts, passedPages } from '../domain/counts.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import { bounded, OCCURRENCE_COLUMNS, occurrenceRows } from './occurrence-rows.ts';
import { type PageWithIssues, type ReportModel, seenAs, uncheckedOf } from './report-model.ts';
import { type Cell, type Sheet, writeWorkbook } from './workbook.ts';

/** Yields a report as an Excel workbook: a summary, what to fix first, issue types, pages, and the issues of each check. */
export function writeXlsx(model: ReportModel): AsyncGenerator<Uint8Array> {
  const { report, engines } = model;
  const sheets = [
    summarySheet(model),
    fixesSheet(model),
    issueTypesSheet(model),
    pagesSheet(model),
    ...engines.map((engine) => issuesSheet(model, engine)),
  ];
  return writeWorkbook(sheets, report.finished_at ?? report.inserted_at);
}

function summarySheet({ report, engines, causesLeftOut }: ReportModel): Sheet {
  const ofReport: Cell[][] = [
    ['Starting URL', { url: report.starting_url }],
    ['Status', report.status],
    ['Problem', fullSentenceOf(report.crawl_error)],
    ['Started (UTC)', report.inserted_at],
    ['Finished (UTC)', report.finished_at],
    ['Pages found', report.num_pages],
    ['Pages checked', report.checked_pages],
    ['Passing pages', report.passed_pages],
    ...(followsStandard(Object.keys(report.checks)) ? [['Standard', measureWords(report) || 'none']] : []),
  ];
  return {
    name: 'Summary',
    columns: { Report: 32, Value: 60 },
    async *rows() {
      yield [
        ...ofReport,
        ...engines.flatMap((engine) => countsOf(report, engine)),
        ['Causes of errors not in “Fix first”', await causesLeftOut()],
      ];
    },
  };
}

function countsOf(report: ReportModel['report'], { kind, title, isGraded }: EngineDescription): Cell[][] {
  const counts = report.checks[kind];
  if (counts === undefined) return [];
  const { with_errors: failing, failed, pending, errors, warnings } = counts;
  const impacts = impactCounts(foundIn(counts, isGraded)).map(
    ([impact, found]) => [`${impact} errors`, found] as const,
  );
  return [
    ['passing pages', passedPages(counts)] as const,
    ['pages with errors', failing] as const,
    ['pages that could not be checked', failed] as const,
    ...(pending > 0 ? [['pages not checked yet', pending] as const] : []),
    ['errors', errors] as const,
    ...impacts,
    [isGraded ? 'needs review' : 'warnings', warnings] as const,
  ].map(([name, count]) => [`${title}: ${name}`, count]);
}

function fixesSheet(model: ReportModel): Sheet {
  return {
    name: 'Fix first',
    // The columns that csv also has are in the same order.
    columns: {
      ...{ Number: 8, Check: 14, Issue: 60, Selector: 40, Markup: 60, 'How to fix it': 60, Occurrences: 12, Pages: 10 },
      ...{
        'Passing pages before the fix': 24,
        'Passing pages after the fix': 24,
        'Errors removed': 16,
        'Also found by': 20,
      },
      ...{ 'Also fixes': 60, 'Effect on visitors': 60 },
    },
    async *rows() {
      yield (await model.fixes()).map((fix) => {
        const { otherChecks, others, numbered } = alsoFixedBy(fix);
        const cause = [causeOf(fix), styleRuleWords(fix, undefined, fix.how_many)].filter(Boolean).join(', ');
        return [
          ...[fix.position, engineOf(fix.kind).title, bounded(fix.message), bounded(fix.selector), bounded(cause)],
          engineOf(fix.kind).issues.remedyOf({ ...fix, issue_type: 'error' }),
          ...[fix.how_many, fix.num_web_pages],
          ...[fix.passing_before_plan, fix.passing_after_plan, fix.errors],
          [...new Set(otherChecks.map(({ kind }) => engineOf(kind).title))].join(', '),
          bounded([...others, ...numbered].map(({ message }) => message).join('\n')),
          effectOfError(fix).words,
        ];
      });
    },
  };
}

function issueTypesSheet(model: ReportModel): Sheet {
  return {
    name: 'Issue types',
    columns: {
      ...{ Check: 14, Type: 10, Impact: 10, Rule: 24, Issue: 60, Occurrences: 12, Pages: 10, 'How to fix it': 60 },
      ...{ Help: 40, Tags: 30, Change: 12, 'First seen (UTC)': 18, 'Fingerprint of the issue': 34 },
      ...{ 'Effect on visitors': 60, Decision: 14 },
    },
    async *rows() {
      for (const engine of model.engines) {
        for await (const issueType of model.issueTypes(engine)) yield [issueTypeRow(issueType, engine)];
      }
    },
  };
}

function issueTypeRow(issueType: CommonIssueRow, { title, issues }: EngineDescription): Cell[] {
  return [
    ...[title, issueType.issue_type, issueType.impact, issueType.rule_id, bounded(issueType.message)],
    ...[issueType.how_many, issueType.num_web_pages, issues.remedyOf(issueType)],
    issueType.help_url === null ? null : { url: issueType.help_url },
    ...[bounded(issueType.tags.join(', ')), issueType.change, issueType.first_seen_at],
    ...[issueType.fingerprint.toString('hex'), issues.effectOf(issueType).words, issueType.verdict],
  ];
}

function pagesSheet({ report, engines, pages }: ReportModel): Sheet {
  const ofEngines = engines.map(({ title, isGraded }) => [
    [`${title}: status`, 14],
    [`${title}: errors`, 12],
    [`${title}: ${isGraded ? 'needs review' : 'warnings'}`, 14],
    [`${title}: reason`, 30],
  ]);
  return {
    name: 'Pages',
    columns: {
      URL: 60,
      Title: 40,
      'HTTP status': 12,
      'Linked from': 60,
      ...Object.fromEntries(ofEngines.flat()),
      'Checked as': 40,
    },
    async *rows() {
      for await (const page of pages([]))
        yield [[...pageRow(page, engines), bounded(seenAs(page.page, report).join(', '))]];
    },
  };
}

function pageRow({ page }: PageWithIssues, engines: readonly EngineDescription[]): Cell[] {
  const reasons = new Map(uncheckedOf(page, engines).map(({ engine, reason }) => [engine, reason]));
  const results = engines.flatMap((engine): Cell[] => {
    const check = page.checks[engine.kind];
    return [check?.status, check?.errors, check?.warnings, reasons.get(engine)];
  });
  return [{ url: page.url }, bounded(page.title), page.http_status, page.linked_from, ...results];
}

/** Widths of the columns of occurrences, in characters, where they are not 12. */
const WIDTHS: Readonly<Record<string, number>> = {
  ...{ page_url: 50, page_title: 30, rule_id: 24, message: 60, selector: 40, markup: 60, how_to_fix: 40, help_url: 40 },
  ...{ tags: 30, issue_fingerprint: 34, occurrence_fingerprint: 34, effect_on_visitors: 60 },
  ...{ decision_note: 40, decision_by: 20, decided_at: 34, reached_by: 40, checked_as: 40 },
};

function issuesSheet(model: ReportModel, engine: EngineDescription): Sheet {
  const columns = Object.entries(OCCURRENCE_COLUMNS);
  return {
    name: `${engine.words.charAt(0).toUpperCase()}${engine.words.slice(1)} issues`,
    columns: Object.fromEntries(columns.map(([name]) => [name, WIDTHS[name] ?? 12])),
    async *rows() {
      for await (const rows of occurrenceRows(model, [engine]))
        yield rows.map((row) => columns.map(([, read]) => read(row)));
    },
  };
}
