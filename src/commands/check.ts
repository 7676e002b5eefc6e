import { ensureFirstAccount } from '../accounts/accounts.ts';
import { parseNewReport } from '../api/resources/new-report.ts';
import { type App, createApp } from '../app.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import type { Config } from '../config.ts';
import { EXPORT_FORMAT_NAMES } from '../domain/export-formats.ts';
import { type CheckFailOn, mildestImpactIn } from '../domain/fail-on.ts';
import { AppError } from '../platform/errors.ts';
import { commandLine } from '../platform/invocation.ts';
import { createReport } from '../reports/create-report.ts';
import { deleteReport } from '../store/deletion.ts';
import { stopReport } from '../store/report-end.ts';
import { findReport } from '../store/reports.ts';
import { asUsageError, attributesIn } from './attribute-options.ts';
import { openBaseline, prepareBaseline, readBaseline } from './baseline.ts';
import { type ResultOptions, showResult } from './check-result.ts';
import { printSummary } from './check-summary.ts';
import { parseFailOn } from './fail-on.ts';
import { parseWords } from './option-values.ts';
import { prepareDirectory } from './report-files.ts';
import { type SiteAccessOptions, siteAccessAttributes } from './site-access-options.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';
import { watchReport } from './watch-report.ts';

/** The options that are not attributes of the report. Those are in `attribute-options.ts`. */
export interface CheckOptions extends SiteAccessOptions {
  readonly format?: string;
  /** The directory for files. Without it, the report goes to standard output. */
  readonly output?: string;
  /** Default: `error`, or `new` with a baseline. */
  readonly failOn?: string;
  /** A file or a report. */
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly maxIssues: number;
  readonly keep: boolean;
  readonly verbose: boolean;
}

/**
 * Checks a site in the terminal. Progress goes to standard error and the summary to standard output, or to standard error
 * if standard output gets the report. Sets the exit status.
 * @throws AppError invalid_usage, site_not_checkable
 */
export async function check(terminal: Terminal, url: string, options: CheckOptions): Promise<void> {
  const { output: directory = null, baseline, writeBaseline: baselineFile = null } = options;
  // A check that writes its baseline accepts what it finds.
  const failOn = parseFailOn(options.failOn, baseline !== undefined || baselineFile !== null);
  const chosen = attributesIn(options);
  requireEffect(failOn, chosen);
  const formats = parseWords('--format', options.format ?? '', EXPORT_FORMAT_NAMES);
  if (formats.length === 0 && directory !== null) {
    throw new AppError('invalid_usage', `--output requires --format: ${EXPORT_FORMAT_NAMES.join(', ')}.`);
  }
  if (formats.length > 1 && directory === null) {
    throw new AppError('invalid_usage', 'Several formats require --output, a directory for the files.');
  }
  const attributes = { starting_url: url, ...chosen, ...siteAccessAttributes(options) };
  const given = baseline === undefined ? null : await readBaseline(baseline);
  if (directory !== null) await prepareDirectory(directory);
  if (baselineFile !== null) await prepareBaseline(baselineFile);
  const config = terminal.config();
  const output = formats.length > 0 && directory === null ? terminal.stderr : terminal.stdout;
  await runStoppable(terminal, async (isStopped) => {
    const app = await createApp(config, quietLogger(terminal, config), { isLongLived: false }).catch(
      failAsNotCheckable,
    );
    try {
      const open = given === null ? null : await openBaseline(app.db, given);
      // Otherwise a missing browser would be found when everything is checked.
      if (formats.includes('pdf')) await app.browser.start();
      const { keep, maxIssues, verbose } = options;
      const result = { failOn, maxIssues, formats, directory, baseline: open, baselineFile, verbose, output };
      await checkWith(terminal, app, attributes, { keep, config, result }, isStopped);
    } finally {
      await terminal.closeInTime(app.close);
    }
  });
}

/** Gives failures to start, such as a missing database, another exit status than that of issues. */
function failAsNotCheckable(cause: unknown): never {
  if (!(cause instanceof AppError)) throw cause;
  throw new AppError('site_not_checkable', cause.message, { cause });
}

/** Refuses options that would have no effect: a check that ignores what should fail it must not pass. */
function requireEffect(failOn: readonly CheckFailOn[], given: Readonly<Record<string, unknown>>): void {
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

/** What a check needs besides its attributes. */
interface CheckRun {
  /** Whether the report stays in the database. */
  readonly keep: boolean;
  readonly config: Config;
  readonly result: ResultOptions;
}

async function checkWith(
  terminal: Terminal,
  app: App,
  attributes: Readonly<Record<string, unknown>>,
  run: CheckRun,
  isStopped: () => boolean,
): Promise<void> {
  const { config, result } = run;
  const account = await ensureFirstAccount(app.db);
  const { id: accountId, plan } = account;
  const input = readReport(attributes, { accountId, limits: config.planLimits[plan] });
  const reportId = await createReport(app.db, app.credentialStore, input);
  let isKept = run.keep;
  try {
    const report = await watchReport(app, reportId, { isStopped, output: terminal.stderr });
    if (report !== null) await showResult(terminal, app, report, result);
    else {
      // Even if stopping fails, the results so far must not be lost.
      isKept = true;
      isKept = await showStopped(app, reportId, result);
    }
  } finally {
    if (!isKept) await deleteReport(app.db, reportId);
    else writeText(result.output, keptSentence(reportId, config));
  }
}

function keptSentence(reportId: string, { dataDir, databaseUrl }: Config): string {
  const where = databaseUrl === null ? dataDir : 'the database';
  return `Report ${reportId} is kept in ${where}. To read it, run ${commandLine('serve')} and get /api/v1/reports/${reportId}.`;
}

/**
 * Stops a report after Ctrl-C, and prints the results so far.
 * @returns whether there are any
 */
async function showStopped(app: App, reportId: string, { verbose, output }: ResultOptions): Promise<boolean> {
  await stopReport(app.db, reportId);
  const report = await findReport(app.db, reportId);
  if (report === undefined || report.num_pages === 0) {
    writeText(output, 'Cancelled; nothing was saved.');
    return false;
  }
  await printSummary(app.db, report, { output, verbose });
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
