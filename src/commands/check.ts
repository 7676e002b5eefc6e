import { REPORT_DEFAULTS, reportDefaults } from '../../packages/client/report-defaults.ts';
import { ensureFirstAccount } from '../accounts/accounts.ts';
import { type App, createApp } from '../app.ts';
import { isBrowserMissing } from '../browser/browser-fault.ts';
import type { Config } from '../config.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import type { CheckKind } from '../domain/check.ts';
import { EXPORT_FORMAT_NAMES } from '../domain/export-formats.ts';
import { signedInWith } from '../domain/site-access.ts';
import { AppError } from '../platform/errors.ts';
import { commandLine } from '../platform/invocation.ts';
import { removeEmptyDirectories } from '../platform/writable-directory.ts';
import { createReport, type NewReportInput } from '../reports/create-report.ts';
import { parseNewReport } from '../reports/definition/new-report.ts';
import { countReportMutings } from '../store/mutings/report-bound-mutings.ts';
import { deleteReport, keepReport } from '../store/reports/deletion.ts';
import { needsBrowser } from '../store/reports/needs-browser.ts';
import { stopReport } from '../store/reports/report-end.ts';
import { findReport } from '../store/reports/reports.ts';
import { usageError } from './attribute-options.ts';
import { openBaseline, prepareBaseline } from './baseline.ts';
import { type ResultOptions, showResult } from './check-result.ts';
import { printSummary } from './check-summary.ts';
import { type LoadedConfiguration, loadConfiguration } from './configuration-file/load.ts';
import type { ConfiguredMuting } from './configuration-file/mutings.ts';
import { checkStatusOf, ExitStatus, exitStatusOf } from './exit-status.ts';
import { prepareAnnotations } from './github-annotations.ts';
import { expiredRemarks, MutingUse } from './muting-remarks.ts';
import { parseWords } from './option-values.ts';
import { outputPlace } from './output-place.ts';
import { type CheckOptions, type PlannedCheck, performedKinds, planChecks } from './plan-checks.ts';
import { prepareDirectory } from './report-files.ts';
import { publicAddress } from './service-address.ts';
import { type Output, quietLogger, runStoppable, type Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';
import { watchReport } from './watch-report.ts';

/**
 * Checks a site, or the sites of a configuration file one after the other. Progress goes to standard error and summaries to
 * standard output, or to standard error if standard output gets the report. Sets the exit status.
 * @param url undefined for the sites of the file
 * @param isGiven whether an option is on the command line, by its name in `options`
 * @throws AppError invalid_usage, invalid_configuration; site_not_checkable for a single site
 */
export async function check(
  terminal: Terminal,
  url: string | undefined,
  options: CheckOptions,
  isGiven: (name: string) => boolean,
): Promise<void> {
  const { writeBaseline: baselineFile = null } = options;
  const { githubAnnotations: annotationsFile = null } = options;
  const formats = parseWords('--format', options.format ?? '', EXPORT_FORMAT_NAMES);
  const config = terminal.config();
  const loaded = await loadConfiguration({ ...options, url }, config.planLimits.enterprise);
  const place = await outputPlace(options.output, formats, loaded.sites.length);
  const plans = await planChecks(loaded, { ...options, place }, { isGiven, variable: terminal.variable });
  if (baselineFile !== null) await prepareBaseline(baselineFile);
  if (annotationsFile !== null) await prepareAnnotations(annotationsFile);
  const output = formats.length > 0 && place === null ? terminal.stderr : terminal.stdout;
  tellExpired(terminal, loaded);
  const created: string[] = [];
  try {
    for (const plan of plans) if (plan.place !== null) created.push(...(await prepareDirectory(plan.place.directory)));
    await runStoppable(terminal, async (stopped) => {
      const isStopped = () => stopped.aborted;
      const [startsEarly = [], ...later] = plans.map(({ attributes }) =>
        performedKinds({ ...REPORT_DEFAULTS, ...attributes }),
      );
      const kinds = [...new Set([...startsEarly, ...later.flat()])];
      const app = await createApp(config, quietLogger(terminal, config), { isLongLived: false, startsEarly });
      const { keep, verbose } = options;
      const use = new MutingUse();
      const checkOne = async ({ attributes, baseline, mutings, ...plan }: PlannedCheck): Promise<void> => {
        const open = baseline === null ? null : await openBaseline(app.db, baseline);
        const result = { ...plan, formats, baseline: open, baselineFile, annotationsFile, verbose, output };
        await checkWith(terminal, app, attributes, { keep, config, result, mutings, use, kinds }, isStopped);
      };
      try {
        // If this came later, a missing browser would only be noticed after all checks.
        if (formats.includes('pdf')) await app.browser.start();
        const [first] = plans;
        if (plans.length === 1 && first !== undefined) await checkOne(first);
        else await checkEach(terminal, plans, { checkOne, isStopped, output });
        const { path, isWhole } = loaded;
        if (path !== null && !isStopped())
          for (const line of use.unused(path, isWhole)) writeText(terminal.stderr, line);
      } finally {
        await terminal.closeInTime(app.close);
      }
    }).catch(failAsNotCheckable);
  } finally {
    // A check that was stopped, or failed, has written nothing.
    await removeEmptyDirectories(created);
  }
}

/** Reports expired mutings, once each. */
function tellExpired({ stderr }: Terminal, { path, sites }: LoadedConfiguration): void {
  if (path === null) return;
  const mutings = new Set(sites.flatMap((site) => site.mutings));
  for (const line of expiredRemarks([...mutings], path, new Date())) writeText(stderr, line);
}

/** Checks several sites. If a site cannot be checked, the others still are. Sets the worst exit status. */
async function checkEach(
  terminal: Terminal,
  plans: readonly PlannedCheck[],
  run: {
    readonly checkOne: (plan: PlannedCheck) => Promise<void>;
    readonly isStopped: () => boolean;
    readonly output: Output;
  },
): Promise<void> {
  const ended: { readonly name: string; readonly status: number }[] = [];
  for (const [index, plan] of plans.entries()) {
    if (run.isStopped()) return;
    terminal.exitStatus = undefined;
    writeText(terminal.stderr, `Site ${index + 1} of ${plans.length}: ${plan.name}`);
    try {
      await run.checkOne(plan);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      writeText(terminal.stderr, `${plan.name}: ${error.message}`);
      terminal.exitStatus = checkStatusOf(error.code);
    }
    ended.push({ name: plan.name, status: terminal.exitStatus ?? ExitStatus.passed });
    if (run.isStopped()) return;
  }
  terminal.exitStatus = Math.max(...ended.map(({ status }) => status)) || undefined;
  const groups = [
    ['passed', (status: number) => status === ExitStatus.passed],
    ['failed', (status: number) => status === ExitStatus.issues],
    ['could not be checked', (status: number) => status > ExitStatus.issues],
  ] as const;
  const parts = groups.flatMap(([words, isIn]) => {
    const names = ended.filter(({ status }) => isIn(status)).map(({ name }) => name);
    return names.length === 0 ? [] : [`${formatNumber(names.length)} ${words} (${names.join(', ')})`];
  });
  writeText(run.output, `\n${plural(ended.length, 'site')}: ${parts.join(', ')}`);
}

/** Gives failures to start, such as a missing database, a different exit status from issues. */
function failAsNotCheckable(cause: unknown): never {
  if (!(cause instanceof AppError) || exitStatusOf(cause.code) !== ExitStatus.fault) throw cause;
  throw new AppError('site_not_checkable', cause.message, { cause });
}

/** The parts that a check needs in addition to its attributes. */
interface CheckRun {
  /** Whether the report stays in the database. */
  readonly keep: boolean;
  readonly config: Config;
  readonly result: ResultOptions;
  readonly mutings: readonly ConfiguredMuting[];
  /** Receives the numbers of muted occurrences, if the report ends. */
  readonly use: MutingUse;
  /** The kinds of checks of all sites. */
  readonly kinds: readonly CheckKind[];
}

async function checkWith(
  terminal: Terminal,
  app: App,
  attributes: Readonly<Record<string, unknown>>,
  run: CheckRun,
  isStopped: () => boolean,
): Promise<void> {
  const { config, result, mutings, use, kinds } = run;
  const account = await ensureFirstAccount(app.db);
  const { id: accountId, plan } = account;
  const limits = config.planLimits[plan];
  // The command line belongs to the operator, who may use features that the plan of the account lacks.
  const defaults = reportDefaults({ plan: 'enterprise', limits });
  const parsed = parseNewReport({ ...defaults, ...attributes }, limits);
  if ('faults' in parsed) throw usageError(parsed.faults);
  let isKept = run.keep;
  const input = {
    accountId,
    ...parsed.value,
    waitingReportsMax: limits.waiting_reports,
    mutings,
    isTemporary: !isKept,
  };
  const reportId = await createReport(app.db, app.credentialStore, input);
  try {
    const watching = watchReport(app, reportId, { isStopped, output: terminal.stderr, kinds });
    const report = await watching.catch((error: unknown) => failWithoutBrowser(error, input));
    if (report !== null) {
      await showResult(terminal, app, report, result);
      use.add(mutings, await countReportMutings(app.db, reportId));
    } else {
      // Even if stopping fails, the results so far must not be lost.
      isKept = true;
      await keepReport(app.db, reportId);
      isKept = await showStopped(app, reportId, result);
    }
  } finally {
    if (!isKept) await deleteReport(app.db, reportId);
    else writeText(result.output, keptSentence(reportId, config));
  }
}

/** Explains how to check without a browser, if only the accessibility check needs it. */
function failWithoutBrowser(cause: unknown, input: NewReportInput): never {
  const isCrawled = needsBrowser({ ...input, crawl_failed: null, signed_in: signedInWith(input.siteAccess).signedIn });
  if (!isBrowserMissing(cause) || isCrawled) throw cause;
  throw new AppError(cause.code, `${cause.message} To check HTML only, add --no-a11y.`, { cause });
}

function keptSentence(reportId: string, config: Config): string {
  const where = config.databaseUrl === null ? config.dataDir : 'the database';
  return `Report ${reportId} was saved in ${where}. While ${commandLine('serve')} is running, read it at ${publicAddress(config)}/reports/${reportId}`;
}

/**
 * Stops a report after Ctrl-C, and prints the results so far.
 * @returns whether there are any
 */
async function showStopped(app: App, reportId: string, { verbose, output }: ResultOptions): Promise<boolean> {
  await stopReport(app.db, reportId);
  const report = await findReport(app.db, reportId);
  if (report === undefined || report.num_pages === 0) {
    writeText(output, 'Canceled; nothing was saved.');
    return false;
  }
  await printSummary(app.db, report, { output, verbose });
  return true;
}
