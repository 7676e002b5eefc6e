import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CHANGES, type Change } from '../../packages/client/changes.ts';
import type { App } from '../app.ts';
import { EXPORT_FORMATS, type ExportFormatName } from '../domain/export-formats.ts';
import type { CheckOutcome } from '../exports/check-outcome.ts';
import { keyOfIssueType } from '../issues/baseline-file.ts';
import type { ChangeCount } from '../issues/diff-pages.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { MESSAGE_CHARACTERS } from '../reports/baseline.ts';
import { engineVersions, type NamedIssueType, namedIssueTypes } from '../store/diffs/baselines.ts';
import type { ReportWithChecks } from '../store/reports/reports.ts';
import type { OutputPlace } from './output-place.ts';
import { type Compared, countChanged, occurrencesWithPages } from './print-diff.ts';
import { writeToPipe } from './write-to-pipe.ts';

/** The parts of the app that write reports. */
type Exporting = Pick<App, 'db' | 'print'>;

/** The data that files contain in addition to the report. */
export interface Verdicts {
  /** The comparison with a baseline; null without one. */
  readonly compared: Compared | null;
  /** Null if nothing could be checked. */
  readonly outcome: CheckOutcome | null;
}

/**
 * Creates the directory for a report's files, before the report runs.
 * @returns the directories that were created, parents first
 * @throws AppError invalid_usage if it is not writable
 */
export async function prepareDirectory(directory: string): Promise<readonly string[]> {
  try {
    return await ensureWritableDirectory(directory);
  } catch (cause) {
    throw new AppError('invalid_usage', `--output ${directory} is not writable: ${messageOf(cause)}.`, { cause });
  }
}

/**
 * Writes a report to a file, streaming it from the database.
 * @returns the path of the file
 * @throws AppError not_printable; invalid_usage if the file cannot be written
 */
export async function writeReportFile(
  app: Exporting,
  report: ReportWithChecks,
  verdicts: Verdicts,
  format: ExportFormatName,
  { directory, fileName }: OutputPlace,
): Promise<string> {
  const path = join(directory, fileName ?? `report.${EXPORT_FORMATS[format].extension}`);
  try {
    await writeWholeFile(path, async (file) => pipeline(await chunksOf(app, report, verdicts, format), file));
  } catch (cause) {
    const code = cause instanceof AppError ? cause.code : 'invalid_usage';
    throw new AppError(code, `Cannot write ${path}: ${messageOf(cause)}${cause instanceof AppError ? '' : '.'}`, {
      cause,
    });
  }
  return path;
}

/** Writes a report to standard output, in the form of the file. */
export async function writeReport(
  app: Exporting,
  report: ReportWithChecks,
  verdicts: Verdicts,
  format: ExportFormatName,
  stdout: NodeJS.WritableStream,
): Promise<void> {
  await writeToPipe(await chunksOf(app, report, verdicts, format), stdout);
}

/** Imports the formats when they are needed: they and the parts of the API that they share are a third of the code of `check`. */
async function chunksOf(
  app: Exporting,
  report: ReportWithChecks,
  { compared, outcome }: Verdicts,
  format: ExportFormatName,
): Promise<Readable> {
  const { exportReport } = await import('../exports/formats.ts');
  const diff = compared === null ? null : diffJson(app.db, report, compared);
  return Readable.from(exportReport(report, format, { ...app, diff, outcome }), { objectMode: false });
}

/** The changes that a diff with a baseline can have: earlier reports are ignored. */
const SHOWN = CHANGES.filter((change) => change !== 'regressed' && change !== 'not_checked_before');
const BEFORE: readonly Change[] = ['fixed', 'persisting', 'unverified'];
const NOW: readonly Change[] = ['new', 'persisting'];

/**
 * Yields a diff with a baseline as JSON: `{baseline, changes, engines, issues}`. The issues have the attributes of the API's
 * `issue_change`; new issue types also have their first occurrences.
 */
async function* diffJson(
  db: App['db'],
  report: ReportWithChecks,
  { name, baseline, result }: Compared,
): AsyncGenerator<string> {
  const changes = Object.fromEntries(SHOWN.map((change) => [change, countChanged(result, change)]));
  const engines = { before: await baseline.engines(), now: await engineVersions(db, report.id) };
  const shownEngines = Object.fromEntries(
    Object.entries(engines).map(([when, versions]) => [when, Object.fromEntries(versions)]),
  );
  const head = JSON.stringify({ baseline: name, changes, engines: shownEngines });
  yield `${head.slice(0, -1)},"issues":[`;
  const added = Map.groupBy(result.added, keyOfIssueType);
  const counts = result.counts.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const now = seeker(namedIssueTypes(db, report.id, MESSAGE_CHARACTERS));
  const before = seeker(baseline.issueTypes());
  let separator = '\n';
  for (const count of counts) {
    const key = keyOfIssueType(count);
    const named = (await now(key)) ?? (await before(key));
    const issues = count.change === 'new' ? (added.get(key) ?? []) : [];
    const pages = await occurrencesWithPages(
      db,
      issues.flatMap(({ occurrences }) => occurrences),
    );
    const occurrences = pages.flatMap(({ url, occurrences: onPage }) =>
      onPage.map((occurrence) => ({ url, ...occurrence })),
    );
    yield separator + JSON.stringify({ ...attributesOf(count, named), ...(count.change === 'new' && { occurrences }) });
    separator = ',\n';
  }
  yield ']}';
}

function orderOf(count: ChangeCount): string {
  return `${keyOfIssueType(count)} ${count.change} ${count.cause}`;
}

function attributesOf(
  { kind, fingerprint, change, cause, occurrences, pages }: ChangeCount,
  named: NamedIssueType | null,
) {
  const [isBefore, isNow] = [BEFORE.includes(change), NOW.includes(change)];
  return {
    ...{ kind, fingerprint, change, cause },
    issue_type: named?.type ?? null,
    message: named?.message ?? null,
    how_many: isNow ? occurrences : 0,
    how_many_before: isBefore ? occurrences : 0,
    num_web_pages: isNow ? pages : 0,
    num_web_pages_before: isBefore ? pages : 0,
  };
}

/**
 * Returns a function that finds issue types in a sorted list if they are requested in that order. Holds one of them at a time.
 */
function seeker(kinds: AsyncIterable<NamedIssueType>): (key: string) => Promise<NamedIssueType | null> {
  const iterator = kinds[Symbol.asyncIterator]();
  let current: NamedIssueType | null | undefined;
  const next = async (): Promise<NamedIssueType | null> => {
    const { value, done } = await iterator.next();
    return done === true ? null : value;
  };
  return async (key) => {
    if (current === undefined) current = await next();
    while (current !== null && keyOfIssueType(current) < key) current = await next();
    return current !== null && keyOfIssueType(current) === key ? current : null;
  };
}
