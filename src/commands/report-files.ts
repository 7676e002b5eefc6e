import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CHECK_KINDS } from '../domain/check.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { listCommonIssues } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { listIssues } from '../store/issues.ts';
import type { ListPage, PageRequest } from '../store/listing.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { listWebPages } from '../store/web-pages.ts';

export const REPORT_FORMATS = ['json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Rows read from the database at a time. */
const CHUNK_ROWS = 100;

/**
 * Writes a report to files, whatever its size: nothing is held in memory as a whole.
 * @returns the paths written
 * @throws AppError invalid_usage when the directory cannot be written to
 */
export async function writeReportFiles(
  db: Database,
  report: ReportWithChecks,
  formats: readonly ReportFormat[],
  directory: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const format of new Set(formats)) {
    const path = join(directory, `report.${format}`);
    try {
      await mkdir(directory, { recursive: true });
      await pipeline(Readable.from(jsonOf(db, report)), createWriteStream(path));
    } catch (cause) {
      throw new AppError('invalid_usage', `Cannot write ${path}: ${messageOf(cause)}.`, { cause });
    }
    paths.push(path);
  }
  return paths;
}

/** How we arrange our work, and what the nesting says already: nobody's business outside. */
const INTERNAL = new Set([
  ...['account_id', 'crawl_pending', 'crawled_by', 'deleted_at', 'site_url'],
  ...['turn', 'runnable', 'attempts', 'claim_id', 'claimed_by', 'impact_order', 'report_id', 'web_page_id'],
]);

function jsonText(value: unknown): string {
  return JSON.stringify(value, (key, item: unknown) => (INTERNAL.has(key) ? undefined : item));
}

/** `{report, common_issues: {html, a11y}, web_pages: [{…, issues: {html, a11y}}]}`, names as in the API. */
async function* jsonOf(db: Database, report: ReportWithChecks): AsyncGenerator<string> {
  yield `{"report":${jsonText(report)},\n"common_issues":{`;
  const kinds = CHECK_KINDS.filter((kind) => report.checks[kind] !== undefined);
  for (const [index, kind] of kinds.entries()) {
    yield `${index > 0 ? ',' : ''}"${kind}":`;
    yield* arrayOf(
      (page) => listCommonIssues(db, report.id, kind, {}, page),
      async (row) => jsonText(row),
    );
  }
  yield '},\n"web_pages":';
  yield* arrayOf(
    (page) => listWebPages(db, report.id, {}, page),
    async (webPage) => {
      const issues: Record<string, unknown> = {};
      for (const kind of kinds) {
        issues[kind] = await everyRow((page) => listIssues(db, webPage.id, kind, {}, page));
      }
      return jsonText({ ...webPage, issues });
    },
  );
  yield '}\n';
}

type Lister<Row> = (page: PageRequest) => Promise<ListPage<Row>>;

async function* arrayOf<Row>(list: Lister<Row>, render: (row: Row) => Promise<string>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rowsOf(list)) {
    yield separator + (await render(row));
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}

async function everyRow<Row>(list: Lister<Row>): Promise<Row[]> {
  return Array.fromAsync(rowsOf(list));
}

async function* rowsOf<Row>(list: Lister<Row>): AsyncGenerator<Row> {
  for (let number = 1; ; number += 1) {
    const { rows } = await list({ number, size: CHUNK_ROWS });
    yield* rows;
    if (rows.length < CHUNK_ROWS) return;
  }
}
