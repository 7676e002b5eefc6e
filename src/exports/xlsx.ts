import type { EngineDescription } from '../checks/engine-description.ts';
import { engineOf } from '../checks/registry.ts';
import { foundIn, impactCounts, passedPages } from '../domain/counts.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import type { CommonIssueRow } from '../store/common-issues.ts';
import { bounded, PLACE_COLUMNS, placeRows } from './place-rows.ts';
import { type PageWithIssues, type ReportModel, uncheckedOf } from './report-model.ts';
import { type Cell, type Sheet, writeWorkbook } from './workbook.ts';

/** Yields a report as a workbook of Excel: a summary, what to fix first, issue types, pages, and the issues of each check. */
export function writeXlsx(model: ReportModel): AsyncGenerator<Uint8Array> {
  const { report, engines } = model;
  const sheets = [
    summarySheet(model),
    fixesSheet(model),
    kindsSheet(model),
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

function countsOf(report: ReportModel['report'], { kind, words, isGraded }: EngineDescription): Cell[][] {
  const counts = report.checks[kind];
  if (counts === undefined) return [];
  const { with_errors: failing, failed, pending, errors, warnings } = counts;
  const impacts = impactCounts(foundIn(counts, isGraded)).map(
    ([impact, found]) => [`${impact} errors`, found] as const,
  );
  return [
    ['passing pages', passedPages(counts)] as const,
    ['pages with errors', failing] as const,
    ['pages not checked', failed + pending] as const,
    ['errors', errors] as const,
    ...impacts,
    [isGraded ? 'need review' : 'warnings', warnings] as const,
  ].map(([name, count]) => [`${words}: ${name}`, count]);
}

function fixesSheet(model: ReportModel): Sheet {
  return {
    name: 'Fix first',
    columns: {
      ...{ check: 8, message: 60, how_to_fix: 60, markup: 60, selector: 40, places: 10, pages: 10 },
      ...{ passing_before: 16, passing_after: 16, passing_after_plan: 20, errors: 10, also_found_by: 20 },
    },
    async *rows() {
      yield (await model.fixes()).map((fix) => [
        ...[
          fix.kind,
          bounded(fix.message),
          engineOf(fix.kind).issues.remedyOf({ ...fix, issue_type: 'error' }),
          bounded(fix.markup),
          bounded(fix.selector),
          fix.how_many,
          fix.num_web_pages,
        ],
        ...[fix.passing_before, fix.passing_after, fix.passing_after_plan, fix.errors],
        [...new Set(fix.also.map(({ kind }) => kind))].join(', '),
      ]);
    },
  };
}

function kindsSheet(model: ReportModel): Sheet {
  return {
    name: 'Issue types',
    columns: {
      ...{ check: 8, type: 10, impact: 10, rule_id: 24, message: 60, how_to_fix: 60, places: 10 },
      ...{ pages: 10, help_url: 40, tags: 30, change: 12, first_seen_at: 18, issue_fingerprint: 34 },
    },
    async *rows() {
      for (const engine of model.engines) {
        for await (const kind of model.kinds(engine)) yield [kindRow(kind, engine.issues.remedyOf(kind))];
      }
    },
  };
}

function kindRow(kind: CommonIssueRow, remedy: Cell): Cell[] {
  return [
    ...[kind.kind, kind.issue_type, kind.impact, kind.rule_id, bounded(kind.message), remedy],
    ...[
      kind.how_many,
      kind.num_web_pages,
      kind.help_url === null ? null : { url: kind.help_url },
      bounded(kind.tags.join(', ')),
    ],
    ...[kind.change, kind.first_seen_at, kind.fingerprint.toString('hex')],
  ];
}

function pagesSheet({ engines, pages }: ReportModel): Sheet {
  const ofEngines = engines.map(({ kind }) => [
    [`${kind}_status`, 14],
    [`${kind}_errors`, 12],
    [`${kind}_warnings`, 14],
    [`${kind}_failure`, 30],
  ]);
  return {
    name: 'Pages',
    columns: { url: 60, title: 40, http_status: 12, linked_from: 60, ...Object.fromEntries(ofEngines.flat()) },
    async *rows() {
      for await (const page of pages([])) yield [pageRow(page, engines)];
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

/** Widths of the columns of places, in characters, where they are not 12. */
const WIDTHS: Readonly<Record<string, number>> = {
  ...{ page_url: 50, page_title: 30, rule_id: 24, message: 60, selector: 40, markup: 60, how_to_fix: 40, help_url: 40 },
  ...{ tags: 30, issue_fingerprint: 34, place_fingerprint: 34 },
};

function issuesSheet(model: ReportModel, engine: EngineDescription): Sheet {
  const columns = Object.entries(PLACE_COLUMNS);
  return {
    name: `${engine.words.charAt(0).toUpperCase()}${engine.words.slice(1)} issues`,
    columns: Object.fromEntries(columns.map(([name]) => [name, WIDTHS[name] ?? 12])),
    async *rows() {
      for await (const rows of placeRows(model, [engine]))
        yield rows.map((row) => columns.map(([, read]) => read(row)));
    },
  };
}
