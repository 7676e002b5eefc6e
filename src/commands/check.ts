import { ensureFirstAccount } from '../accounts/accounts.ts';
import { parseNewReport } from '../api/resources/new-report.ts';
import { type App, createApp } from '../app.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import { type Config, configOfProcess } from '../config.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import { AppError } from '../platform/errors.ts';
import { createReport } from '../reports/create-report.ts';
import { deleteReport } from '../store/deletion.ts';
import { stopReport } from '../store/report-end.ts';
import { findReport, type ReportWithChecks } from '../store/reports.ts';
import { asUsageError, attributesIn, optionName } from './attribute-options.ts';
import { printSummary } from './check-summary.ts';
import { ExitStatus } from './exit-status.ts';
import { type FailOn, impactIn, judge, parseFailOn } from './fail-on.ts';
import { wordsOf } from './option-values.ts';
import { prepareDirectory, REPORT_FORMATS, type ReportFormat, writeReport, writeReportFiles } from './report-files.ts';
import { type SiteAccessOptions, siteAccessAttributes } from './site-access-options.ts';
import { writeText } from './text-layout.ts';
import { closeInTime, endingInOrder } from './until-stopped.ts';
import { watchReport } from './watch-report.ts';
import { quietLogger } from './with-foundation.ts';

/** The options that are no attributes of the report; those are in `attribute-options.ts`. */
export interface CheckOptions extends SiteAccessOptions {
  readonly format?: string;
  /** The directory for files; a format alone goes to standard output. */
  readonly output?: string;
  readonly failOn: string;
  readonly maxIssues: number;
  readonly keep: boolean;
  readonly verbose: boolean;
}

/**
 * Validates a site in the terminal: progress on standard error, the summary on standard output, or on standard error as
 * well where standard output gets the report. Sets the exit status.
 * @throws AppError invalid_usage, site_not_checkable
 */
export async function check(url: string, options: CheckOptions): Promise<void> {
  const failOn = parseFailOn(options.failOn);
  const given = attributesIn(options);
  refuseIdleOptions(failOn, given);
  const formats = wordsOf('--format', options.format ?? '', REPORT_FORMATS);
  const { output: directory = null } = options;
  if (formats.length === 0 && directory !== null) {
    throw new AppError('invalid_usage', `--output needs --format: ${REPORT_FORMATS.join(', ')}.`);
  }
  const attributes = { starting_url: url, ...given, ...siteAccessAttributes(options) };
  if (directory !== null) await prepareDirectory(directory);
  const config = configOfProcess();
  const output = formats.length > 0 && directory === null ? process.stderr : process.stdout;
  await endingInOrder(async (isStopped) => {
    const app = await createApp(config, quietLogger(config), { isLongLived: false }).catch(refuseWithoutApp);
    try {
      await checkWith(app, attributes, { failOn, formats, directory, options, config, output }, isStopped);
    } finally {
      await closeInTime(app.close);
    }
  });
}

/** Without its database, `check` must not end with the status that stands for issues. */
function refuseWithoutApp(cause: unknown): never {
  if (!(cause instanceof AppError)) throw cause;
  throw new AppError('site_not_checkable', cause.message, { cause });
}

/** A check that cannot fail, because what would fail it is not looked at, must not pass. */
function refuseIdleOptions(failOn: readonly FailOn[], given: Readonly<Record<string, unknown>>): void {
  const on = ENGINES.filter(({ kind }) => given[`perform_${kind}_checks`] === true);
  const off = ENGINES.filter((engine) => !on.includes(engine));
  const refuse = (reason: string, remedies: readonly string[]): never => {
    throw new AppError('invalid_usage', `${reason}: add ${remedies.join(' or ')}.`);
  };
  if (on.length === 0) {
    const turnedOff = off.filter(({ isDefault }) => isDefault).map(({ option }) => `--no-${option.name}`);
    refuse(`${turnedOff.join(' and ')} leaves nothing to check`, optionsOf(off.filter(({ isDefault }) => !isDefault)));
  }
  const graded = ENGINES.filter(({ isGraded }) => isGraded);
  const impact = impactIn(failOn);
  if (impact !== undefined && !on.some((engine) => graded.includes(engine))) {
    refuse(`--fail-on ${impact} counts ${graded.map(({ found }) => found.error).join(' and ')}`, optionsOf(graded));
  }
  const showing = ENGINES.filter(({ showsPages }) => showsPages);
  if (on.some((engine) => showing.includes(engine))) return;
  if (given['wait_for'] !== '' && given['dynamic_crawler'] === false) {
    refuse('--wait-for is for pages shown in a browser', [...optionsOf(showing), '--dynamic-crawler']);
  }
  if (given['device_id'] !== '') {
    refuse(`--device is for ${showing.map(({ words }) => words).join(' and ')} checks`, optionsOf(showing));
  }
}

function optionsOf(engines: readonly EngineDescription[]): string[] {
  return engines.map(({ option }) => `--${option.name}`);
}

/** A kind of check that was asked for and could check no page has found nothing, which must not pass either. */
function refuseIdleChecks({ checks }: ReportWithChecks): void {
  const idle = ENGINES.find(({ kind }) => checks[kind]?.checked === 0);
  if (idle === undefined) return;
  throw new AppError('site_not_checkable', `${idle.title}: no page could be checked. The reasons are above.`);
}

interface Telling {
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
  telling: Telling,
  isStopped: () => boolean,
): Promise<void> {
  const { options, config } = telling;
  const account = await ensureFirstAccount(app.db);
  const { id: accountId, plan } = account;
  const input = readReport(attributes, { accountId, limits: config.planLimits[plan] });
  const reportId = await createReport(app.db, app.credentialStore, input);
  let isKept = options.keep;
  try {
    const report = await watchReport(app, reportId, isStopped);
    if (report !== null) await tell(app, report, telling);
    else {
      // Also when stopping it fails: what was found must not be lost.
      isKept = true;
      isKept = await tellStopped(app, reportId, telling);
    }
  } finally {
    if (!isKept) await deleteReport(app.db, reportId);
    else writeText(telling.output, keptSentence(reportId, config));
  }
}

function keptSentence(reportId: string, { dataDir, databaseUrl }: Config): string {
  const where = databaseUrl === null ? dataDir : 'the database';
  return `Report ${reportId} is kept in ${where}. To see all of it, run npm start and get /api/v1/reports/${reportId}.`;
}

/**
 * Ends the work on a report that Ctrl-C has stopped, and prints what was found so far.
 * @returns whether there is anything to keep
 */
async function tellStopped(app: App, reportId: string, { options, output }: Telling): Promise<boolean> {
  await stopReport(app.db, reportId);
  const report = await findReport(app.db, reportId);
  if (report === undefined || report.num_pages === 0) {
    writeText(output, 'Stopped before a page was found.');
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

async function tell(app: App, report: ReportWithChecks, telling: Telling): Promise<void> {
  const { failOn, formats, directory, options, output } = telling;
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
  refuseIdleChecks(report);
  const { isPassed, sentence } = await judge(app.db, report.id, failOn, options.maxIssues);
  writeText(output, sentence);
  if (!isPassed) process.exitCode = ExitStatus.issues;
}
