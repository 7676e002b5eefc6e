/**
 * Exports a report of ten thousand pages in every format, and measures the processor time of this process, without the database,
 * and the memory that it holds while it writes. Streamed formats hold the same amount for a report of any size.
 *
 *   npm run bench:exports -- [--pages N] [--limit MB]
 *
 * Exits with 1 if a format holds more than the limit.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { EXPORT_FORMAT_NAMES, type ExportFormatName } from '../src/domain/export-formats.ts';
import { exportReport } from '../src/exports/formats.ts';
import { createLogger } from '../src/platform/logger.ts';
import { findReport, type ReportWithChecks } from '../src/store/reports/reports.ts';
import { A11Y_ISSUE_TYPES, element, HOME, HTML_ISSUE_TYPES, occurrence } from '../test/helpers/sample-report.ts';
import { seedReport } from '../test/helpers/seed.ts';

/** Bytes of the file between two measurements. */
const STEP_BYTES = 1_000_000;

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '10000' }, limit: { type: 'string', default: '64' } },
});
const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-exports-'));
// As root, the database runs as another user, who must be able to enter the folder.
await chmod(dataDir, 0o755);
// Collecting garbage on purpose blocks the process, about which it would warn.
const log = createLogger({ level: 'error', format: 'pretty' });
const config = loadConfig({ SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' }, false);
const app = await createApp(config, log, { isLongLived: true });
const report = await seedPages(Number(values.pages));
console.log(`\n${report.num_pages} pages\n\n    file    cpu   held  format`);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
// Code that the first export loads and compiles stays in memory.
await measure('csv');
for (const format of EXPORT_FORMAT_NAMES) {
  const { fileBytes, cpuMs, heldBytes } = await measure(format);
  const isOver = heldBytes > Number(values.limit) * 1_000_000;
  if (isOver) process.exitCode = 1;
  const figures = [megabytes(fileBytes), `${(cpuMs / 1_000).toFixed(1)} s`, megabytes(heldBytes)];
  console.log(`${figures.map((figure) => figure.padStart(8)).join('')}  ${format}${isOver ? '  OVER' : ''}`);
}
await app.close();
await rm(dataDir, { recursive: true, force: true });

/** Fills in a page with two errors of each kind of check, and repeats it in SQL. */
async function seedPages(pages: number): Promise<ReportWithChecks> {
  const html = [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences: [occurrence(1), occurrence(2)] }];
  const a11y = [{ kind: A11Y_ISSUE_TYPES.contrast, occurrences: [element('a'), element('b')] }];
  const checks = { html: { status: 'checked', issues: html }, a11y: { status: 'checked', issues: a11y } } as const;
  const { id: accountId } = await ensureFirstAccount(app.db);
  const page = { url: HOME, checks };
  const { reportId } = await seedReport(app.db, { account_id: accountId }, ['html', 'a11y'], [page]);
  await sql`WITH pages AS (INSERT INTO web_pages (report_id, url, title, status, http_status, content_type, headers)
      SELECT report_id, url || n, 'Page ' || n, status, http_status, content_type, headers
      FROM web_pages, generate_series(2, ${pages}::int) n WHERE report_id = ${reportId} RETURNING id),
    checked AS (INSERT INTO checks (web_page_id, kind, report_id, payer_id, turn, status, errors, serious)
      SELECT pages.id, kind, report_id, payer_id, turn, c.status, errors, serious FROM checks c, pages WHERE report_id = ${reportId}),
    kinds AS (UPDATE common_issues SET how_many = how_many * ${pages}, num_web_pages = ${pages} WHERE report_id = ${reportId}),
    counts AS (UPDATE report_checks SET checked = ${pages}, with_errors = ${pages}, errors = errors * ${pages}
      WHERE report_id = ${reportId}),
    counted AS (UPDATE reports SET num_pages = ${pages} WHERE id = ${reportId})
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, how_many, occurrences,
        fingerprints, clusters, traces)
      SELECT common_issue_id, report_id, pages.id, kind, position, how_many, occurrences, fingerprints, clusters, traces FROM issues, pages
      WHERE report_id = ${reportId}`.execute(app.db);
  await sql`ANALYZE web_pages, checks, issues`.execute(app.db);
  const seeded = await findReport(app.db, reportId);
  if (seeded === undefined) throw new Error('The report was not filled in.');
  return seeded;
}

async function measure(format: ExportFormatName) {
  const [before, started] = [memoryBytes(), process.cpuUsage()];
  let [fileBytes, measuredBytes, heldBytes] = [0, 0, 0];
  for await (const chunk of exportReport(report, format, { ...app, diff: null })) {
    fileBytes += chunk.length;
    if (fileBytes - measuredBytes < STEP_BYTES) continue;
    measuredBytes = fileBytes;
    heldBytes = Math.max(heldBytes, memoryBytes() - before);
  }
  const { user, system } = process.cpuUsage(started);
  return { fileBytes, cpuMs: (user + system) / 1_000, heldBytes };
}

/** Bytes of objects and buffers that are in use, without garbage. */
function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
