import type { PrintDocument } from '../browser/print-document.ts';
import type { ExportFormatName } from '../domain/export-formats.ts';
import type { Database } from '../store/database.ts';
import { stateOf } from '../store/diffs/pending-insights.ts';
import type { VisibleReport } from '../store/reports/reports.ts';
import type { CheckOutcome } from './check-outcome.ts';
import { writeCsv } from './csv.ts';
import { writeEarl } from './earl.ts';
import { writeHtml } from './html.ts';
import { writeJson } from './json.ts';
import { writeJunit } from './junit.ts';
import { writeMarkdown } from './markdown.ts';
import { writeOpenacr } from './openacr.ts';
import { writePdf } from './pdf.ts';
import { type ReportModel, readReport } from './report-model.ts';
import { writeSarif } from './sarif.ts';
import { writeStatement } from './statement.ts';
import { writeXlsx } from './xlsx.ts';

/** The data that a writer gets in addition to the report. */
export interface ExportContext {
  readonly db: Database;
  /** The diff with a baseline as JSON; null for none. */
  readonly diff: AsyncIterable<string> | null;
  /** The verdict of `check`; absent in other exports, and if there is none. */
  readonly outcome?: CheckOutcome | null;
  readonly print: PrintDocument;
}

type Chunks = AsyncIterable<string | Uint8Array>;

const WRITERS: Readonly<Record<ExportFormatName, (model: ReportModel, context: ExportContext) => Chunks>> = {
  json: (model, { db, diff, outcome = null }) => writeJson(db, model, { diff, outcome }),
  sarif: (model, { outcome = null }) => writeSarif(model, outcome),
  junit: (model, { outcome = null }) => writeJunit(model, outcome),
  csv: writeCsv,
  md: (model, { outcome = null }) => writeMarkdown(model, outcome),
  html: (model, { outcome = null }) => writeHtml(model, outcome),
  pdf: (model, { print, outcome = null }) => writePdf(model, outcome, print),
  xlsx: writeXlsx,
  earl: (model, { db }) => writeEarl(db, model),
  openacr: writeOpenacr,
  statement: writeStatement,
};

/**
 * Yields a report in a format, reading it from the database as the chunks are requested.
 * @param report with the checks that its reader may see
 * @throws AppError not_printable; Error at the end if the report changed in the meantime: the file would mix two of its states
 */
export async function* exportReport(
  report: VisibleReport,
  format: ExportFormatName,
  context: ExportContext,
): AsyncGenerator<string | Uint8Array> {
  const before = await stateOf(context.db, report.id, 'now');
  yield* joined(WRITERS[format](readReport(context.db, report), context));
  const after = await stateOf(context.db, report.id, 'now');
  if (after === undefined || after !== before)
    throw new Error(`Report ${report.id} changed while it was being exported.`);
}

/** Characters of text that are sent at once: sending has a cost for each piece, and most pieces are small. */
const CHUNK_CHARACTERS = 32_768;

async function* joined(chunks: Chunks): AsyncGenerator<string | Uint8Array> {
  let text = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      yield chunk;
      continue;
    }
    text += chunk;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
