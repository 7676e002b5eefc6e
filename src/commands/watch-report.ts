import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { App } from '../app.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import type { CheckKind } from '../domain/check.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { livingWorkers } from '../store/living-workers.ts';
import { needsBrowser } from '../store/reports/needs-browser.ts';
import { findReport, type ReportWithChecks } from '../store/reports/reports.ts';
import type { Output } from './terminal.ts';
import { columnsOf, cut, duration } from './text-layout.ts';

const POLL_MS = 200;
/** How long the database may be unreachable. A killed embedded database restarts much sooner. */
const DATABASE_TIMEOUT_MS = 30_000;
/** How long to wait for the insights of an ended report. 10,000 pages take about 10 s. */
const ANSWERS_TIMEOUT_MS = 120_000;
/** How long the browser may be broken before the check ends: nothing else would end it. */
const BROWSER_TIMEOUT_MS = 60_000;

/**
 * Waits until a report has ended and its insights are computed, with live progress on `output`. If another process works on this
 * database, such as `serve`, it does the work with its running engines. If there is none, or it stops, this process starts
 * working.
 * @param options.kinds the checks that this process may have to do, including checks of later reports
 * @returns null if `isStopped` returned true before that
 * @throws AppError site_not_checkable, database_unavailable, or what an engine throws when it fails to start
 */
export async function watchReport(
  app: App,
  reportId: string,
  { isStopped, output, kinds }: { isStopped(): boolean; readonly output: Output; readonly kinds: readonly CheckKind[] },
): Promise<ReportWithChecks | null> {
  const progress = createProgress(output);
  const worker = createFallbackWorker(app, kinds);
  let reachedAt = Date.now();
  let endedAt: number | null = null;
  try {
    while (!isStopped()) {
      try {
        const report = await findReport(app.db, reportId);
        reachedAt = Date.now();
        if (report === undefined)
          throw new AppError('site_not_checkable', 'The report was deleted while it was running.');
        progress.show(report);
        if (hasEnded(report)) endedAt ??= Date.now();
        // Without the insights, the report is correct, but does not show how long its issues have existed.
        if (endedAt !== null && (!report.insights_pending || Date.now() - endedAt > ANSWERS_TIMEOUT_MS)) return report;
        await worker.keepWorking(report);
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (Date.now() - reachedAt > DATABASE_TIMEOUT_MS) throw databaseUnavailable(error);
      }
      await delay(POLL_MS);
    }
    return null;
  } finally {
    progress.end();
  }
}

interface FallbackWorker {
  /**
   * Starts working in this process if no process does.
   * @throws what an engine threw when it failed to start, since the report would never end without it
   */
  keepWorking(report: ReportWithChecks): Promise<void>;
}

/** The apps that work on reports. */
const working = new WeakSet<App>();

function createFallbackWorker(app: App, kinds: readonly CheckKind[]): FallbackWorker {
  let isStarted = false;
  let failure: unknown = null;
  let brokenSince: number | null = null;

  const start = (report: ReportWithChecks): void => {
    isStarted = true;
    const needed = app.engines.filter(({ kind }) => report.checks[kind] !== undefined);
    for (const part of needsBrowser(report) ? [...needed, app.browser] : needed) {
      part.start().catch((error: unknown) => {
        failure = error;
      });
    }
  };
  const requireBrowser = (report: ReportWithChecks): void => {
    const isNeeded = needsBrowser(report) || app.engines.some((one) => one.showsPages && report.checks[one.kind]);
    brokenSince = isNeeded && app.browser.isBroken() ? (brokenSince ?? Date.now()) : null;
    if (brokenSince !== null && Date.now() - brokenSince > BROWSER_TIMEOUT_MS)
      throw new AppError('browser_failed_to_start', 'The browser stopped and could not be restarted.');
  };

  return {
    async keepWorking(report) {
      if (failure !== null) throw failure;
      if (!working.has(app)) {
        if ((await livingWorkers(app.db)).length > 0) return;
        await app.startWork(kinds);
        working.add(app);
      }
      if (!isStarted) start(report);
      requireBrowser(report);
    },
  };
}

function databaseUnavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', `The database stopped responding: ${messageOf(cause)}.`, { cause });
}

interface Progress {
  show(report: ReportWithChecks): void;
  /** Clears the line on a terminal. */
  end(): void;
}

/** Minimum time between lines if the output is not a terminal. */
const PLAIN_INTERVAL_MS = 5_000;
/** Columns of the spinner, the space after it, and the last column, since some terminals wrap when it is used. */
const SPINNER_COLUMNS = 3;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** Shows live progress: one line that is updated on a terminal, a line for each change elsewhere. */
function createProgress(output: Output): Progress {
  const started = performance.now();
  let frame = 0;
  /** When the first page was done. Until then, engines were starting, so that time does not count toward their rate. */
  let first: { readonly at: number; readonly done: number } | null = null;
  let lastPlain = { at: Number.NEGATIVE_INFINITY, text: '' };
  const isTerminal = output.isTTY === true;

  return {
    show(report) {
      const now = performance.now();
      const done = pagesDone(report);
      if (first === null && done > 0) first = { at: now, done };
      const recent = first === null || first.at === now ? 0 : ((done - first.done) * 1_000) / (now - first.at);
      const overall = (done * 1_000) / Math.max(1, now - started);
      const text = describe(report, Math.max(recent, overall));
      if (isTerminal) {
        frame += 1;
        const line = cut(text, columnsOf(output) - SPINNER_COLUMNS);
        output.write(`\r\x1b[2K${styleText('cyan', SPINNER[frame % SPINNER.length] ?? '')} ${line}`);
        return;
      }
      const isDue = hasEnded(report) || now - lastPlain.at >= PLAIN_INTERVAL_MS;
      if (text === lastPlain.text || !isDue) return;
      lastPlain = { at: now, text };
      output.write(`${text}\n`);
    },
    end() {
      if (isTerminal) output.write('\r\x1b[2K');
    },
  };
}

/** Describes the progress in one line: pages found and done, failures, issues, rate and time left. */
function describe(report: ReportWithChecks, pagesPerSecond: number): string {
  if (report.num_pages === 0)
    return report.only_journeys ? 'Performing the journeys …' : 'Fetching the starting page …';
  const kinds = Object.values(report.checks);
  const done = pagesDone(report);
  const failed = kinds.reduce((most, counts) => Math.max(most, counts.failed), 0);
  const issues = kinds.reduce((total, counts) => total + counts.errors + counts.warnings, 0);
  const left = timeLeft(report, pagesPerSecond);
  const parts = [
    isCrawling(report)
      ? `${plural(report.num_pages, 'page')} found (maximum ${formatNumber(report.max_pages)}), ${formatNumber(done)} done`
      : `${formatNumber(done)} of ${plural(report.num_pages, 'page')} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    plural(issues, 'issue'),
    ...(done > 0 ? [`${pagesPerSecond.toFixed(1)} pages/s`] : []),
    ...(left === null ? [] : [left]),
  ];
  return parts.join(' · ');
}

/** Counts pages whose checks have all ended, as far as the counts by kind of check show. */
function pagesDone(report: ReportWithChecks): number {
  const pending = Object.values(report.checks).reduce((most, counts) => Math.max(most, counts.pending), 0);
  return report.num_pages - pending;
}

function hasEnded({ status }: ReportWithChecks): boolean {
  return status === 'finished' || status === 'failed';
}

function isCrawling({ status }: ReportWithChecks): boolean {
  return status === 'crawling' || status === 'pending';
}

/**
 * Estimates the time for pending pages at the current rate. During a crawl, pages still to come take at least as long as the rate
 * limit requires.
 */
function timeLeft(report: ReportWithChecks, rate: number): string | null {
  const done = pagesDone(report);
  if (hasEnded(report) || done === 0) return null;
  const toCome = isCrawling(report) ? report.max_pages - report.num_pages : 0;
  const seconds = Math.ceil(Math.max((report.num_pages - done + toCome) / rate, toCome / report.rate_limit));
  return `${toCome > 0 ? 'at most' : 'about'} ${duration(seconds)} left`;
}
