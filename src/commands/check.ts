import { ensureFirstAccount } from '../accounts/accounts.ts';
import { parseNewReport } from '../api/resources/new-report.ts';
import { type App, createApp } from '../app.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import { type Config, configOfProcess } from '../config.ts';
import type { FailOn } from '../domain/fail-on.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import { AppError } from '../platform/errors.ts';
import { createReport } from '../reports/create-report.ts';
import { deleteReport } from '../store/deletion.ts';
import { stopReport } from '../store/report-end.ts';
import { findReport, type ReportWithChecks } from '../store/reports.ts';
import { asUsageError, attributesIn, optionName } from './attribute-options.ts';
import { printSummary } from './check-summary.ts';
import { ExitStatus } from './exit-status.ts';
import { mildestImpactIn, parseFailOn, verdictFor } from './fail-on.ts';
import { parseWords } from './option-values.ts';
import { prepareDirectory, REPORT_FORMATS, type ReportFormat, writeReport, writeReportFiles } from './report-files.ts';
import { type SiteAccessOptions, siteAccessAttributes } from './site-access-options.ts';
import { writeText } from './text-layout.ts';
import { closeInTime, runStoppable } from './until-stopped.ts';
import { watchReport } from './watch-report.ts';
import { quietLogger } from './with-foundation.ts';

/** The options that are not attributes of the report. Those are in `attribute-options.ts`. */
export interface CheckOptions extends SiteAccessOptions {
  readonly format?: string;
  /** The directory for files. Without it, the report goes to standard output. */
  readonly output?: string;
  readonly failOn: string;
  readonly maxIssues: number;
  readonly keep: boolean;
  readonly verbose: boolean;
}

/**
 * Checks a site in the terminal. Progress goes to standard error and the summary to standard output, or to standard error
 * if standard output gets the report. Sets the exit status.
 * @throws AppError invalid_usage, site_not_checkable
 */
export async function check(url: string, options: CheckOptions): Promise<void> {
  const failOn = parseFailOn(options.failOn);
  const given = attributesIn(options);
  requireEffect(failOn, given);
  const formats = parseWords('--format', options.format ?? '', REPORT_FORMATS);
  const { output: directory = null } = options;
  if (formats.length === 0 && directory !== null) {
    throw new AppError('invalid_usage', `--output requires --format ${REPORT_FORMATS.join(' or ')}.`);
  }
  const attributes = { starting_url: url, ...given, ...siteAccessAttributes(options) };
  if (directory !== null) await prepareDirectory(directory);
  const config = configOfProcess();
  const output = formats.length > 0 && directory === null ? process.stderr : process.stdout;
  await runStoppable(async (isStopped) => {
    const app = await createApp(config, quietLogger(config), { isLongLived: false }).catch(failAsNotCheckable);
    try {
      await checkWith(app, attributes, { failOn, formats, directory, options, config, output }, isStopped);
    } finally {
      await closeInTime(app.close);
    }
  });
}

/** Gives failures to start, such as a missing database, another exit status than that of issues. */
function failAsNotCheckable(cause: unknown): never {
  if (!(cause instanceof AppError)) throw cause;
  throw new AppError('site_not_checkable', cause.message, { cause });
}

/** Refuses options that would have no effect: a check that ignores what should fail it must not pass. */
function requireEffect(failOn: readonly FailOn[], given: Readonly<Record<string, unknown>>): void {
  const on = ENGINES.filter(({ kind }) => given[`perform_${kind}_checks`] === true);
  if (on.length === 0) {
    const [defaults, others] = [
      ENGINES.filter(({ isDefault }) => isDefault),
      ENGINES.filter(({ isDefault }) => !isDefault),
    ];
    const turnedOff = defaults.map(({ option }) => `--no-${option.name}`).join(' and ');
    throw missingOption(`${turnedOff} leaves nothing to check`, optionsOf(others));
  }
  const impact = mildestImpactIn(failOn);
  if (impact !== undefined && !on.some(({ isGraded }) => isGraded)) {
    const graded = ENGINES.filter(({ isGraded }) => isGraded);
    const found = graded.map((engine) => engine.found.error).join(' and ');
    throw missingOption(`--fail-on ${impact} counts ${found}`, optionsOf(graded));
  }
  if (on.some(({ showsPages }) => showsPages)) return;
  const showing = ENGINES.filter(({ showsPages }) => showsPages);
  if (given['wait_for'] !== '' && given['dynamic_crawler'] === false) {
    const remedies = [...optionsOf(showing), '--dynamic-crawler'];
    throw missingOption('--wait-for requires pages to be shown in a browser', remedies);
  }
  if (given['device_id'] !== '') {
    const checks = showing.map(({ words }) => words).join(' and ');
    throw missingOption(`--device requires ${checks} checks`, optionsOf(showing));
  }
}

function missingOption(reason: string, remedies: readonly string[]): AppError {
  return new AppError('invalid_usage', `${reason}: add ${remedies.join(' or ')}.`);
}

function optionsOf(engines: readonly EngineDescription[]): string[] {
  return engines.map(({ option }) => `--${option.name}`);
}

/** A kind of check that could not check any page found nothing, which must not pass. */
function requireCheckedPages({ checks }: ReportWithChecks): void {
  const idle = ENGINES.find(({ kind }) => checks[kind]?.checked === 0);
  if (idle === undefined) return;
  throw new AppError('site_not_checkable', `${idle.title}: no page could be checked. See the reasons above.`);
}

/** What a check needs besides its attributes. */
interface CheckRun {
  readonly failOn: readonly FailOn[];
  readonly formats: readonly ReportFormat[];
  /** Null for standard output. */
  readonly directory: string | null;
  readonly options: CheckOptions;
  readonly config: Config;
  /** Where the summary goes. */
  readonly output: NodeJS.WriteStream;
}

async function checkWith(
  app: App,
  attributes: Readonly<Record<string, unknown>>,
  run: CheckRun,
  isStopped: () => boolean,
): Promise<void> {
  const { options, config } = run;
  const account = await ensureFirstAccount(app.db);
  const { id: accountId, plan } = account;
  const input = readReport(attributes, { accountId, limits: config.planLimits[plan] });
  const reportId = await createReport(app.db, app.credentialStore, input);
  let isKept = options.keep;
  try {
    const report = await watchReport(app, reportId, isStopped);
    if (report !== null) await showResult(app, report, run);
    else {
      // Even if stopping fails, the results so far must not be lost.
      isKept = true;
      isKept = await showStopped(app, reportId, run);
    }
  } finally {
    if (!isKept) await deleteReport(app.db, reportId);
    else writeText(run.output, keptSentence(reportId, config));
  }
}

function keptSentence(reportId: string, { dataDir, databaseUrl }: Config): string {
  const where = databaseUrl === null ? dataDir : 'the database';
  return `Report ${reportId} is kept in ${where}. To read it, run npm start and get /api/v1/reports/${reportId}.`;
}

/**
 * Stops a report after Ctrl-C, and prints the results so far.
 * @returns whether there are any
 */
async function showStopped(app: App, reportId: string, { options, output }: CheckRun): Promise<boolean> {
  await stopReport(app.db, reportId);
  const report = await findReport(app.db, reportId);
  if (report === undefined || report.num_pages === 0) {
    writeText(output, 'Cancelled; nothing was saved.');
    return false;
  }
  await printSummary(app.db, report, { output, verbose: options.verbose });
  return true;
}

/** @throws AppError invalid_usage, with everything that is wrong in the words of the command line */
function readReport(...parts: Parameters<typeof parseNewReport>): ReturnType<typeof parseNewReport> {
  try {
    return parseNewReport(...parts);
  } catch (error) {
    throw asUsageError(error);
  }
}

async function showResult(app: App, report: ReportWithChecks, run: CheckRun): Promise<void> {
  const { failOn, formats, directory, options, output } = run;
  await printSummary(app.db, report, { output, verbose: options.verbose });
  if (directory !== null) {
    for (const path of await writeReportFiles(app.db, report, formats, directory)) output.write(`Wrote ${path}\n`);
  } else if (formats.length > 0) {
    await writeReport(app.db, report, process.stdout);
  }
  if (report.status === 'failed') {
    const reason = fullSentenceOf(report.crawl_error, optionName) ?? 'No page of the site could be checked.';
    throw new AppError('site_not_checkable', reason);
  }
  requireCheckedPages(report);
  const { isPassed, sentence } = await verdictFor(app.db, report.id, failOn, options.maxIssues);
  writeText(output, sentence);
  if (!isPassed) process.exitCode = ExitStatus.issues;
}
