import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EXPORT_FORMATS, type ExportFormatName } from '../domain/export-formats.ts';
import { exportReport } from '../exports/formats.ts';
import { AppError, codeOf, messageOf } from '../platform/errors.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import type { Database } from '../store/database.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { comparisonJson } from './export-comparison.ts';
import type { Compared } from './print-comparison.ts';

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
 * @param compared with a baseline; null without one
 * @returns the paths of the files
 * @throws AppError invalid_usage if a file cannot be written
 */
export async function writeReportFiles(
  db: Database,
  report: ReportWithChecks,
  compared: Compared | null,
  formats: readonly ExportFormatName[],
  directory: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const format of formats) {
    const path = join(directory, `report.${EXPORT_FORMATS[format].extension}`);
    try {
      await pipeline(chunksOf(db, report, compared, format), createWriteStream(path));
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
  compared: Compared | null,
  format: ExportFormatName,
  stdout: NodeJS.WritableStream,
): Promise<void> {
  await pipeline(chunksOf(db, report, compared, format), stdout, { end: false }).catch((error: unknown) => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
}

function chunksOf(
  db: Database,
  report: ReportWithChecks,
  compared: Compared | null,
  format: ExportFormatName,
): Readable {
  const comparison = compared === null ? null : comparisonJson(db, report, compared);
  return Readable.from(exportReport(report, format, { db, comparison }), { objectMode: false });
}
