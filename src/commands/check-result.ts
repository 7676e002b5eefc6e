import type { App } from '../app.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import { plural } from '../domain/amounts.ts';
import type { ExportFormatName } from '../domain/export-formats.ts';
import type { CheckFailOn } from '../domain/fail-on.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import type { CheckOutcome } from '../exports/check-outcome.ts';
import { AppError } from '../platform/errors.ts';
import { diffWithBaseline } from '../reports/diff-with-baseline.ts';
import type { Database } from '../store/database.ts';
import type { ReportWithChecks } from '../store/reports/reports.ts';
import { optionName } from './attribute-options.ts';
import { type OpenBaseline, writeBaseline } from './baseline.ts';
import { useBudgets } from './budget-use.ts';
import { printSummary } from './check-summary.ts';
import type { ConfiguredBudget } from './configuration-file/budgets.ts';
import { checkStatusOf, ExitStatus } from './exit-status.ts';
import { writeAnnotations } from './github-annotations.ts';
import type { OutputPlace } from './output-place.ts';
import { type Compared, changesOf, newIssueTypesOf, printDiff } from './print-diff.ts';
import { type Verdicts, writeReport, writeReportFile } from './report-files.ts';
import { createSummary } from './summary-output.ts';
import type { Output, Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';
import { type Verdict, verdictFor } from './verdict.ts';

/** The maximum number of issue types in the summary of a job. */
const NEW_ISSUE_TYPES_MAX = 10;

/** The outputs for the result of a check. */
export interface ResultOptions {
  readonly failOn: readonly CheckFailOn[];
  readonly maxIssues: number;
  readonly budgets: readonly ConfiguredBudget[];
  /** On standard output, at most one. */
  readonly formats: readonly ExportFormatName[];
  /** Null for standard output. */
  readonly place: OutputPlace | null;
  readonly baseline: OpenBaseline | null;
  /** The file to which the baseline of the report is written; null for none. */
  readonly baselineFile: string | null;
  /** The file for annotations of GitHub Actions; null for none. */
  readonly annotationsFile: string | null;
  readonly verbose: boolean;
  /** Where the summary goes. */
  readonly output: Output;
}

/**
 * Prints the result of a check, writes its files, and sets the exit status. Even if a file cannot be written, the others are, and
 * the verdict is shown.
 * @throws AppError site_not_checkable, invalid_usage if the baseline cannot be written
 */
export async function showResult(
  terminal: Terminal,
  app: App,
  report: ReportWithChecks,
  options: ResultOptions,
): Promise<void> {
  const { failOn, maxIssues, baselineFile, annotationsFile, verbose, output } = options;
  const { db } = app;
  const compared = await comparedWith(db, report, options.baseline);
  const listsKnown = compared === null || verbose;
  await printSummary(db, report, { output, verbose }, listsKnown);
  const budgets = await useBudgets(db, report.id, options.budgets);
  const verdict = await verdictFor(db, report.id, {
    failOn,
    maxIssues,
    budgets,
    added: compared?.result.added ?? null,
  });
  const wasChecked = report.status !== 'failed' && idleEngine(report) === undefined;
  const outcome = wasChecked ? await outcomeOf(db, report, verdict, compared) : null;
  await writeFormats(terminal, app, report, { compared, outcome }, options);
  if (report.status === 'failed') {
    const reason = fullSentenceOf(report.crawl_error, optionName) ?? 'No page of the site could be checked.';
    throw new AppError('site_not_checkable', reason);
  }
  if (baselineFile !== null && wasChecked) {
    await writeBaseline(db, report, baselineFile);
    writeText(output, `Wrote ${baselineFile}${uncheckedRemark(report)}`);
  }
  // The most important parts are at the end: new issues, and the verdict.
  if (compared !== null) {
    if (options.place !== null || baselineFile !== null) output.write('\n');
    await printDiff(createSummary(db, report, { output, verbose }), compared);
  }
  requireCheckedPages(report);
  for (const line of budgets.lines) writeText(output, line);
  if (annotationsFile !== null) await writeAnnotations(db, report, compared, verdict, annotationsFile);
  writeText(output, verdict.sentence);
  if (!verdict.isPassed) terminal.exitStatus ??= ExitStatus.issues;
}

async function writeFormats(
  terminal: Terminal,
  app: App,
  report: ReportWithChecks,
  verdicts: Verdicts,
  { formats, place, output }: ResultOptions,
): Promise<void> {
  for (const format of formats) {
    try {
      if (place === null) await writeReport(app, report, verdicts, format, terminal.stdout);
      else output.write(`Wrote ${await writeReportFile(app, report, verdicts, format, place)}\n`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      writeText(terminal.stderr, error.message);
      terminal.exitStatus = checkStatusOf(error.code);
    }
  }
}

async function comparedWith(
  db: Database,
  report: ReportWithChecks,
  open: OpenBaseline | null,
): Promise<Compared | null> {
  if (open === null || report.status === 'failed') return null;
  const baseline = open.of(report);
  return { name: open.name, baseline, result: await diffWithBaseline(db, report.id, baseline) };
}

/** A kind of check that could not check any page found nothing, which must not count as a pass. */
function requireCheckedPages(report: ReportWithChecks): void {
  const idle = idleEngine(report);
  if (idle === undefined) return;
  throw new AppError('site_not_checkable', `${idle.title}: no page could be checked. See the reasons above.`);
}

function idleEngine({ checks }: ReportWithChecks): EngineDescription | undefined {
  return ENGINES.find(({ kind }) => checks[kind]?.checked === 0);
}

async function outcomeOf(
  db: Database,
  report: ReportWithChecks,
  { isPassed, sentence, failing }: Verdict,
  compared: Compared | null,
): Promise<CheckOutcome> {
  const outcome = { isPassed, verdict: sentence, failing };
  if (compared === null) return { ...outcome, diff: null };
  const { name: baseline, result } = compared;
  const newIssueTypes = await newIssueTypesOf(db, report.id, result.added, NEW_ISSUE_TYPES_MAX);
  const { stateOf, added } = result;
  const diff = { baseline, changes: changesOf(result), newIssueTypes, numNewIssueTypes: added.length, stateOf };
  return { ...outcome, diff };
}

function uncheckedRemark({ checks }: ReportWithChecks): string {
  const failed = Math.max(0, ...Object.values(checks).map((counts) => counts.failed));
  return failed === 0 ? '' : `, excluding ${plural(failed, 'page')} that could not be checked`;
}
