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
import { listCommonIssues } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { listDiscoveredUrls } from '../store/discovered-urls.ts';
import { listIssues } from '../store/issues.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { listWebPages } from '../store/web-pages.ts';
import { type Lister, rowsOf } from './rows-of.ts';

export const REPORT_FORMATS = ['json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/**
 * Makes the directory for a report's files, before the work that they are to hold.
 * @throws AppError invalid_usage when it cannot be written to
 */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    await ensureWritableDirectory(directory);
  } catch (cause) {
    throw new AppError('invalid_usage', `--output ${directory} cannot be written to: ${messageOf(cause)}.`, { cause });
  }
}

/**
 * Writes a report to files, whatever its size: nothing is held in memory as a whole.
 * @returns the paths written
 * @throws AppError invalid_usage when a file cannot be written
 */
export async function writeReportFiles(
  db: Database,
  report: ReportWithChecks,
  formats: readonly ReportFormat[],
  directory: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const format of formats) {
    const path = join(directory, `report.${format}`);
    try {
      await pipeline(Readable.from(jsonOf(db, report)), createWriteStream(path));
    } catch (cause) {
      throw new AppError('invalid_usage', `Cannot write ${path}: ${messageOf(cause)}.`, { cause });
    }
    paths.push(path);
  }
  return paths;
}

/** Writes a report to standard output, as the file has it. Whoever reads it may leave before its end. */
export async function writeReport(db: Database, report: ReportWithChecks, stdout: NodeJS.WriteStream): Promise<void> {
  await pipeline(Readable.from(jsonOf(db, report)), stdout, { end: false }).catch((error: unknown) => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
}

/**
 * `{report, common_html_issues, …, web_pages: [{…, html_issues, …}], discovered_urls}`: every resource with the attributes of the API, and its id where it has an address; what belongs to a check that was not made is
 * absent.
 */
async function* jsonOf(db: Database, report: ReportWithChecks): AsyncGenerator<string> {
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
  yield ',\n"web_pages":';
  yield* arrayOf(
    (page) => listWebPages(db, report.id, {}, page),
    async (webPage) => {
      const shown: Record<string, unknown> = { id: String(webPage.id), ...webPageAttributes(webPage) };
      for (const engine of engines) {
        const { kind } = engine;
        const issues = await Array.fromAsync(rowsOf((page) => listIssues(db, webPage, kind, {}, page)));
        shown[`${kind}_issues`] = issues.map((issue) => ({
          id: String(issue.id),
          ...issueAttributes(engine, issue, webPage),
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

async function* arrayOf<Row>(list: Lister<Row>, render: (row: Row) => Promise<object>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rowsOf(list)) {
    yield separator + JSON.stringify(await render(row));
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}
