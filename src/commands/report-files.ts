import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { commonIssueAttributes } from '../api/resources/common-issue.ts';
import { discoveredUrlAttributes } from '../api/resources/discovered-url.ts';
import { issueAttributes } from '../api/resources/issue.ts';
import { reportAttributes } from '../api/resources/report-resource.ts';
import { webPageAttributes } from '../api/resources/web-page.ts';
import { ENGINES } from '../checks/registry.ts';
import { AppError, codeOf, messageOf } from '../platform/errors.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { markIssues } from '../reports/place-changes.ts';
import { listCommonIssues } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { listDiscoveredUrls } from '../store/discovered-urls.ts';
import type { NewFix } from '../store/fixes.ts';
import { listIssues } from '../store/issues.ts';
import { type Lister, rowsOf } from '../store/listing.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { listWebPages } from '../store/web-pages.ts';
import { comparisonJson } from './export-comparison.ts';
import type { Compared } from './print-comparison.ts';

export const REPORT_FORMATS = ['json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What is computed from the results of a report. */
export interface ReportAnswers {
  /** Null without a baseline. */
  readonly compared: Compared | null;
  readonly fixes: readonly NewFix[];
}

/**
 * Creates the directory for a report's files, before the report runs.
 * @throws AppError invalid_usage if it is not writable
 */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    await ensureWritableDirectory(directory);
  } catch (cause) {
    throw new AppError('invalid_usage', `--output ${directory} is not writable: ${messageOf(cause)}.`, { cause });
  }
}

/**
 * Writes a report to files, streaming it from the database.
 * @returns the paths of the files
 * @throws AppError invalid_usage if a file cannot be written
 */
export async function writeReportFiles(
  db: Database,
  report: ReportWithChecks,
  answers: ReportAnswers,
  formats: readonly ReportFormat[],
  directory: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const format of formats) {
    const path = join(directory, `report.${format}`);
    try {
      await pipeline(Readable.from(jsonOf(db, report, answers)), createWriteStream(path));
    } catch (cause) {
      throw new AppError('invalid_usage', `Cannot write ${path}: ${messageOf(cause)}.`, { cause });
    }
    paths.push(path);
  }
  return paths;
}

/** Writes a report to standard output, in the form of the file. The reader may close the pipe early. */
export async function writeReport(
  db: Database,
  report: ReportWithChecks,
  answers: ReportAnswers,
  stdout: NodeJS.WriteStream,
): Promise<void> {
  await pipeline(Readable.from(jsonOf(db, report, answers)), stdout, { end: false }).catch((error: unknown) => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
}

/**
 * Yields `{report, common_html_issues, …, fixes, comparison, web_pages: [{…, html_issues, …}], discovered_urls}`. Resources have the
 * attributes of the API and, if they have a URL there, their ids. Lists of checks that were not enabled are absent; the comparison
 * is null without a baseline.
 */
async function* jsonOf(
  db: Database,
  report: ReportWithChecks,
  { fixes, compared }: ReportAnswers,
): AsyncGenerator<string> {
  yield `{"report":${JSON.stringify({ id: report.id, ...reportAttributes(report) })}`;
  const engines = ENGINES.filter(({ kind }) => report.checks[kind] !== undefined);
  for (const engine of engines) {
    const { kind } = engine;
    yield `,\n"common_${kind}_issues":`;
    yield* arrayOf(
      (page) => listCommonIssues(db, report.id, kind, {}, page),
      async (issue) => ({ id: String(issue.id), ...commonIssueAttributes(engine, issue) }),
    );
  }
  yield `,\n"fixes":${JSON.stringify(fixes.map(shownFix))},\n"comparison":`;
  if (compared === null) yield 'null';
  else yield* comparisonJson(db, report, compared);
  yield ',\n"web_pages":';
  yield* arrayOf(
    (page) => listWebPages(db, report.id, {}, page),
    async (webPage) => {
      const shown: Record<string, unknown> = { id: String(webPage.id), ...webPageAttributes(webPage) };
      for (const engine of engines) {
        const { kind } = engine;
        const issues = await Array.fromAsync(rowsOf((page) => listIssues(db, webPage, kind, {}, page)));
        const marks = await markIssues(db, kind, webPage, issues);
        shown[`${kind}_issues`] = issues.map((issue) => ({
          id: String(issue.id),
          ...issueAttributes(engine, issue, webPage, marks.get(issue.id)),
        }));
      }
      return shown;
    },
  );
  yield ',\n"discovered_urls":';
  const shownUrl = discoveredUrlAttributes(report);
  yield* arrayOf(
    (page) => listDiscoveredUrls(db, report, {}, { key: 'position', direction: 'asc' }, page),
    async (url) => shownUrl(url),
  );
  yield '}\n';
}

/** The attributes of the API's `fix`, and the ids of the resources that it is related to. */
function shownFix({ position: _, cluster, common_issue_id: commonIssueId, sample_page_id: pageId, ...fix }: NewFix) {
  const ids = { common_issue_id: String(commonIssueId), web_page_id: String(pageId) };
  return { ...fix, cluster: cluster.toString('hex'), ...ids };
}

async function* arrayOf<Row>(list: Lister<Row>, render: (row: Row) => Promise<object>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rowsOf(list)) {
    yield separator + JSON.stringify(await render(row));
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}
