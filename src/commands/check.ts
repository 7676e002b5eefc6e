import { setTimeout as delay } from 'node:timers/promises';
import { ensureFirstAccount } from '../accounts/accounts.ts';
import { parseNewReport } from '../api/resources/new-report.ts';
import { type App, createApp } from '../app.ts';
import { configOfProcess } from '../config.ts';
import { IMPACTS } from '../domain/check.ts';
import { AppError } from '../platform/errors.ts';
import { findReport, type ReportWithChecks } from '../store/reports.ts';
import { createProgress } from './check-progress.ts';
import { printSummary } from './check-summary.ts';
import { ExitStatus } from './exit-status.ts';
import { REPORT_FORMATS, type ReportFormat, writeReportFiles } from './report-files.ts';
import { closeInTime, untilStopped } from './until-stopped.ts';
import { quietLogger } from './with-foundation.ts';

/** What `--fail-on` knows: types of issues, and impacts of accessibility issues with everything worse. */
export const FAIL_ON = ['error', 'warning', ...IMPACTS] as const;

export interface CheckOptions {
  readonly maxPages: number;
  readonly rateLimit: number;
  readonly a11y: boolean;
  readonly html: boolean;
  readonly deepCrawl: boolean;
  readonly preferCanonicalUrls: boolean;
  readonly initialUrl: readonly string[];
  readonly exclude: readonly string[];
  readonly deviceRotated: boolean;
  readonly tags: string;
  readonly format?: string;
  readonly output?: string;
  readonly failOn: string;
  readonly maxIssues: number;
  readonly keep: boolean;
}

const POLL_MS = 200;
/** What a shell expects of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Validates a site in the terminal: progress on standard error, the summary on standard output. Sets the exit status.
 * @throws AppError invalid_usage, site_not_checkable
 */
export async function check(url: string, options: CheckOptions): Promise<void> {
  const failOn = wordsOf('--fail-on', options.failOn, FAIL_ON);
  const formats = wordsOf('--format', options.format ?? '', REPORT_FORMATS);
  const directory = directoryFor(formats, options.output);
  const config = configOfProcess();
  let isStopped = false;
  void untilStopped().then(() => {
    isStopped = true;
  });
  const app = await createApp(config, quietLogger(config));
  try {
    const account = await ensureFirstAccount(app.db);
    const viewer = { accountId: account.id, plan: account.plan, scope: 'write' } as const;
    const reportId = await app.actions.createReport(parseNewReport(attributesOf(url, options), viewer));
    try {
      const report = await run(app, reportId, () => isStopped);
      if (report === null) {
        process.stderr.write('Stopped. The report is thrown away.\n');
        process.exitCode = INTERRUPTED;
        return;
      }
      await tell(app, report, { failOn, formats, directory, options });
    } finally {
      if (!options.keep || isStopped) await app.actions.deleteReport(reportId);
      else process.stdout.write(`Report ${reportId} is kept in ${config.dataDir}.\n`);
    }
  } finally {
    await closeInTime(app.close);
  }
}

function attributesOf(url: string, options: CheckOptions): Readonly<Record<string, unknown>> {
  return {
    starting_url: /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`,
    max_pages: options.maxPages,
    rate_limit: options.rateLimit,
    perform_html_checks: options.html,
    perform_a11y_checks: options.a11y,
    deep_crawl: options.deepCrawl,
    prefer_canonical_urls: options.preferCanonicalUrls,
    initial_urls: options.initialUrl.join('\n'),
    exclusions: options.exclude.join('\n'),
    device_rotated: options.deviceRotated,
    tags: options.tags,
  };
}

/** Works until the report is done, with live progress. Null when it was stopped before. */
async function run(app: App, reportId: string, isStopped: () => boolean): Promise<ReportWithChecks | null> {
  const progress = createProgress(process.stderr);
  await app.startWork();
  try {
    while (!isStopped()) {
      const report = await findReport(app.db, reportId);
      if (report === undefined) throw new AppError('site_not_checkable', 'The report was deleted while it ran.');
      progress.show(report);
      if (report.status === 'finished' || report.status === 'failed') return report;
      await delay(POLL_MS);
    }
    return null;
  } finally {
    progress.end();
  }
}

interface Telling {
  readonly failOn: readonly (typeof FAIL_ON)[number][];
  readonly formats: readonly ReportFormat[];
  readonly directory: string;
  readonly options: CheckOptions;
}

async function tell(
  app: App,
  report: ReportWithChecks,
  { failOn, formats, directory, options }: Telling,
): Promise<void> {
  await printSummary(app.db, report, process.stdout);
  for (const path of await writeReportFiles(app.db, report, formats, directory))
    process.stdout.write(`Wrote ${path}\n`);
  if (report.status === 'failed') {
    throw new AppError('site_not_checkable', report.crawl_error ?? 'No page of the site could be checked.');
  }
  const counted = countedIssues(report, failOn);
  if (counted <= options.maxIssues) return;
  const allowed = options.maxIssues === 0 ? 'none is allowed' : `${options.maxIssues} are allowed`;
  process.stdout.write(`Not passed: ${counted} issues of the kind ${failOn.join(', ')}, and ${allowed}.\n`);
  process.exitCode = ExitStatus.issues;
}

/** How many issues count against passing. An issue that several words name counts once. */
function countedIssues(report: ReportWithChecks, failOn: Telling['failOn']): number {
  const lowest = IMPACTS.findIndex((impact) => failOn.includes(impact));
  const impacts = lowest === -1 ? [] : IMPACTS.slice(lowest);
  let sum = 0;
  for (const counts of Object.values(report.checks)) {
    const byType = (failOn.includes('error') ? counts.errors : 0) + (failOn.includes('warning') ? counts.warnings : 0);
    const byImpact = impacts.reduce((total, impact) => total + counts[impact], 0);
    sum += Math.max(byType, byImpact);
  }
  return sum;
}

function wordsOf<const Word extends string>(option: string, text: string, words: readonly Word[]): Word[] {
  const given = text.split(',').map((word) => word.trim());
  return given.flatMap((name) => {
    if (name === '') return [];
    const word = words.find((candidate) => candidate === name);
    if (word !== undefined) return [word];
    throw new AppError('invalid_usage', `${option} knows ${words.join(', ')}, not "${name}".`);
  });
}

function directoryFor(formats: readonly ReportFormat[], output: string | undefined): string {
  if (formats.length > 0 && output === undefined) {
    throw new AppError('invalid_usage', 'Say with --output DIR where the files of --format go.');
  }
  if (formats.length === 0 && output !== undefined) {
    throw new AppError('invalid_usage', `Say with --format which files to write: ${REPORT_FORMATS.join(', ')}.`);
  }
  return output ?? '';
}
