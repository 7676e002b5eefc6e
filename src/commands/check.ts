import { ensureFirstAccount } from '../accounts/accounts.ts';
import { parseNewReport } from '../api/resources/new-report.ts';
import { type App, createApp } from '../app.ts';
import { type Config, configOfProcess } from '../config.ts';
import { CHECK_KINDS, IMPACTS, type Impact, type IssueType } from '../domain/check.ts';
import { AppError } from '../platform/errors.ts';
import { createReport } from '../reports/create-report.ts';
import { deleteReport } from '../reports/delete-report.ts';
import { countIssuesOf } from '../store/common-issues.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { CHECK_TITLES, printSummary } from './check-summary.ts';
import { ExitStatus } from './exit-status.ts';
import { asUsageError, inOptions } from './option-names.ts';
import { plural } from './plural.ts';
import { prepareDirectory, REPORT_FORMATS, type ReportFormat, writeReportFiles } from './report-files.ts';
import { type SiteAccessOptions, siteAccessAttributes } from './site-access-options.ts';
import { closeInTime, endingInOrder } from './until-stopped.ts';
import { watchReport } from './watch-report.ts';
import { quietLogger } from './with-foundation.ts';

/** What `--fail-on` knows: types of issues, and impacts of accessibility issues with everything worse. */
export const FAIL_ON = ['error', 'warning', ...IMPACTS] as const;

export interface CheckOptions extends SiteAccessOptions {
  readonly maxPages: number;
  readonly rateLimit: number;
  readonly a11y: boolean;
  readonly html: boolean;
  readonly deepCrawl: boolean;
  readonly preferCanonicalUrls: boolean;
  readonly dynamicCrawler: boolean;
  readonly respectRobotsTxt: boolean;
  readonly initialUrl: readonly string[];
  readonly exclude: readonly string[];
  /** An id of the list of devices; empty for the default one. */
  readonly device: string;
  readonly deviceRotated: boolean;
  readonly waitFor: string;
  readonly tags: string;
  readonly format?: string;
  readonly output?: string;
  readonly failOn: string;
  readonly maxIssues: number;
  readonly keep: boolean;
}

/**
 * Validates a site in the terminal: progress on standard error, the summary on standard output. Sets the exit status.
 * @throws AppError invalid_usage, site_not_checkable
 */
export async function check(url: string, options: CheckOptions): Promise<void> {
  const failOn = wordsOf('--fail-on', options.failOn, FAIL_ON);
  refuseIdleOptions(failOn, options);
  const formats = wordsOf('--format', options.format ?? '', REPORT_FORMATS);
  const directory = directoryFor(formats, options.output);
  const attributes = attributesOf(url, options);
  if (formats.length > 0) await prepareDirectory(directory);
  const config = configOfProcess();
  await endingInOrder(async (isStopped) => {
    const app = await createApp(config, quietLogger(config), { isLongLived: false });
    try {
      await checkWith(app, attributes, { failOn, formats, directory, options, config }, isStopped);
    } finally {
      await closeInTime(app.close);
    }
  });
}

/** A check that cannot fail, because what would fail it is not looked at, must not pass. */
function refuseIdleOptions(failOn: Telling['failOn'], { a11y, device, html }: CheckOptions): void {
  if (a11y) return;
  if (!html) throw new AppError('invalid_usage', '--no-html leaves nothing to check: add --a11y.');
  const impact = IMPACTS.find((candidate) => failOn.includes(candidate));
  if (impact !== undefined) {
    throw new AppError('invalid_usage', `--fail-on ${impact} counts accessibility issues: add --a11y.`);
  }
  if (device !== '') throw new AppError('invalid_usage', '--device is for accessibility checks: add --a11y.');
}

/** What was asked for and has looked at no page has found nothing, which must not pass either. */
function refuseIdleChecks({ checks }: ReportWithChecks): void {
  const idle = CHECK_KINDS.find((kind) => checks[kind]?.checked === 0);
  if (idle === undefined) return;
  throw new AppError('site_not_checkable', `${CHECK_TITLES[idle]}: no page could be checked. The reasons are above.`);
}

interface Telling {
  readonly failOn: readonly (typeof FAIL_ON)[number][];
  readonly formats: readonly ReportFormat[];
  readonly directory: string;
  readonly options: CheckOptions;
  readonly config: Config;
}

async function checkWith(
  app: App,
  attributes: ReturnType<typeof attributesOf>,
  telling: Telling,
  isStopped: () => boolean,
): Promise<void> {
  const { options, config } = telling;
  const account = await ensureFirstAccount(app.db);
  const { id: accountId, plan } = account;
  const input = readReport(attributes, { accountId, limits: config.planLimits[plan] });
  const reportId = await createReport(app.db, app.vault, input);
  try {
    const report = await watchReport(app, reportId, isStopped);
    if (report === null) process.stderr.write('Stopped. The report is thrown away.\n');
    else await tell(app, report, telling);
  } finally {
    if (!options.keep || isStopped()) await deleteReport(app.db, reportId);
    else process.stdout.write(`Report ${reportId} is kept in ${config.dataDir}.\n`);
  }
}

/** @throws AppError invalid_usage, with everything that is wrong in the words of the command line */
function readReport(...parts: Parameters<typeof parseNewReport>): ReturnType<typeof parseNewReport> {
  try {
    return parseNewReport(...parts);
  } catch (error) {
    throw asUsageError(error);
  }
}

function attributesOf(url: string, options: CheckOptions): Readonly<Record<string, unknown>> {
  return {
    starting_url: withScheme(url),
    max_pages: options.maxPages,
    rate_limit: options.rateLimit,
    perform_html_checks: options.html,
    perform_a11y_checks: options.a11y,
    deep_crawl: options.deepCrawl,
    prefer_canonical_urls: options.preferCanonicalUrls,
    dynamic_crawler: options.dynamicCrawler,
    respect_robots_txt: options.respectRobotsTxt,
    initial_urls: options.initialUrl.join('\n'),
    exclusions: options.exclude.join('\n'),
    device_id: options.device,
    device_rotated: options.deviceRotated,
    wait_for: options.waitFor,
    tags: options.tags,
    ...siteAccessAttributes(options),
  };
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
    const reason = report.crawl_error ?? 'No page of the site could be checked.';
    throw new AppError('site_not_checkable', inOptions(reason));
  }
  refuseIdleChecks(report);
  const counted = await countIssuesOf(app.db, report.id, { types: typesIn(failOn), impacts: impactsIn(failOn) });
  if (counted <= options.maxIssues) {
    process.stdout.write(`Passed: ${plural(counted, 'issue')} of the kind ${failOn.join(', ')}.\n`);
    return;
  }
  const allowed = options.maxIssues <= 1 ? ['none is', 'one is'][options.maxIssues] : `${options.maxIssues} are`;
  process.stdout.write(
    `Not passed: ${plural(counted, 'issue')} of the kind ${failOn.join(', ')}, and ${allowed} allowed.\n`,
  );
  process.exitCode = ExitStatus.issues;
}

/** Without a scheme, the web's usual one; this machine's own servers rarely have certificates. */
function withScheme(url: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
  return /^(localhost|127\.|\[::1\])/i.test(url) ? `http://${url}` : `https://${url}`;
}

function typesIn(failOn: Telling['failOn']): IssueType[] {
  return (['error', 'warning'] as const).filter((type) => failOn.includes(type));
}

/** The impacts named, and everything worse. */
function impactsIn(failOn: Telling['failOn']): Impact[] {
  const mildest = IMPACTS.findIndex((impact) => failOn.includes(impact));
  return mildest === -1 ? [] : IMPACTS.slice(mildest);
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
