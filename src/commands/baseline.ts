import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BASELINE_MAX_BYTES, type BaselineFile, parseBaseline } from '../issues/baseline-file.ts';
import { AppError, codeOf, messageOf } from '../platform/errors.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { type Baseline, baselineOfFile, baselineOfReport, baselineText } from '../reports/baseline.ts';
import type { Database } from '../store/database.ts';
import { findReport, type ReportWithChecks } from '../store/reports/reports.ts';

/** The file or report that `--baseline` names. */
export type GivenBaseline = { readonly path: string; readonly file: BaselineFile } | { readonly reportId: string };

/** A baseline that exists, to compare a report with when it has ended. */
export interface OpenBaseline {
  /** What messages call the file or the report. */
  readonly name: string;
  of(report: ReportWithChecks): Baseline;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const REPORT = new RegExp(`^(?:https?://\\S*/reports/)?(${UUID})(?:[/?#]\\S*)?$`, 'i');

/** Whether a baseline is the id or the URL of a report, and not a file. */
export function isReportReference(given: string): boolean {
  return REPORT.test(given) || /^https?:\/\//i.test(given);
}

/**
 * Reads the file of `--baseline`, or the id of its report.
 * @throws AppError invalid_usage if the file is missing or not a baseline of this version
 */
export async function readBaseline(given: string): Promise<GivenBaseline> {
  const reportId = REPORT.exec(given)?.[1]?.toLowerCase();
  if (reportId !== undefined) return { reportId };
  if (/^https?:\/\//i.test(given)) {
    throw unusable(`${given} is not the URL of a report: it must end with /reports/ and an id`);
  }
  try {
    const { size } = await stat(given);
    if (size > BASELINE_MAX_BYTES) throw new Error(`is larger than ${BASELINE_MAX_BYTES >> 20} MiB`);
    return { path: given, file: parseBaseline(await readFile(given, 'utf8')) };
  } catch (cause) {
    const remedy = `write it with --write-baseline ${given}`;
    const code = codeOf(cause);
    if (code === 'ENOENT') throw unusable(`${given} does not exist: ${remedy}`, cause);
    if (code !== '') throw unusable(`${given} cannot be read: ${messageOf(cause)}`, cause);
    throw unusable(`${given} ${messageOf(cause)}: ${remedy}`, cause);
  }
}

/**
 * Opens a baseline: its file, or the report that it names.
 * @throws AppError invalid_usage if there is no such report, or it has no results
 */
export async function openBaseline(db: Database, given: GivenBaseline): Promise<OpenBaseline> {
  if ('file' in given) return { name: given.path, of: (report) => baselineOfFile(given.file, report) };
  const { reportId } = given;
  const before = await findReport(db, reportId);
  if (before === undefined) throw unusable(`${reportId}: this report does not exist in the database`);
  if (before.status !== 'finished') {
    throw unusable(`${reportId}: this report ${before.status === 'failed' ? 'failed' : 'has not finished yet'}`);
  }
  return { name: `report ${reportId}`, of: (report) => baselineOfReport(db, before, report) };
}

function unusable(problem: string, cause?: unknown): AppError {
  return new AppError('invalid_usage', `--baseline ${problem}.`, { cause });
}

/**
 * Creates the folder of a baseline that will be written, before the report runs.
 * @throws AppError invalid_usage if it is not writable
 */
export async function prepareBaseline(path: string): Promise<void> {
  await ensureWritableDirectory(dirname(path)).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

/**
 * Writes the baseline of a report. An existing file is replaced atomically, or stays unchanged.
 * @throws AppError invalid_usage if it cannot be written
 */
export async function writeBaseline(db: Database, report: ReportWithChecks, path: string): Promise<void> {
  await writeWholeFile(path, (file) => pipeline(Readable.from(baselineText(db, report)), file)).catch(
    (cause: unknown) => {
      throw unwritable(path, cause);
    },
  );
}

function unwritable(path: string, cause: unknown): AppError {
  return new AppError('invalid_usage', `--write-baseline ${path} cannot be written: ${messageOf(cause)}.`, { cause });
}
