import { oneLine } from '../platform/shorten.ts';
import { OCCURRENCE_COLUMNS, type OccurrenceRow, occurrenceRows } from './occurrence-rows.ts';
import type { ReportModel } from './report-model.ts';
import { cellMaxCharacters } from './texts.ts';

/** Without it, spreadsheets assume the encoding of the system. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Yields a report as CSV (RFC 4180, UTF-8): a row for each occurrence, and for each check of a page that failed. */
export async function* writeCsv(model: ReportModel): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${Object.keys(OCCURRENCE_COLUMNS).join(',')}\r\n`;
  for await (const rows of occurrenceRows(model, model.engines)) yield rows.map(lineOf).join('');
}

function lineOf(row: OccurrenceRow): string {
  return `${Object.values(OCCURRENCE_COLUMNS)
    .map((read) => textOf(read(row)))
    .join(',')}\r\n`;
}

function textOf(value: string | number | Date | null | undefined): string {
  return value instanceof Date ? value.toISOString() : cellOf(value ?? '');
}

/** Text that spreadsheets interpret as a formula, even after spaces and in full width. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
/** The separator of cells in many countries. Spaces and quotes after it are removed. */
const LATER_CELL = /;[\s"]*/g;
const FORMULA_SIGN = /^[=+\-@＝＋－＠]/;

export function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = oneLine(value, cellMaxCharacters);
  const later = text.replace(LATER_CELL, (start, at: number) =>
    FORMULA_SIGN.test(text.charAt(at + start.length)) ? `;'${start.slice(1)}` : start,
  );
  const safe = `${FORMULA.test(text) ? "'" : ''}${later}`;
  return /[",';]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
