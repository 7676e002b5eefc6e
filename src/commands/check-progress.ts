import { styleText } from 'node:util';
import type { ReportWithChecks } from '../store/reports.ts';
import { columnsOf, cut, duration, plural } from './text-layout.ts';

export interface Progress {
  show(report: ReportWithChecks): void;
  /** Leaves the terminal as it was. */
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Where the output is no terminal: a line when something changed, no more often than this. */
const PLAIN_INTERVAL_MS = 5_000;
/** Columns of the spinner, the space behind it, and the last one, in which some terminals begin a new line. */
const SPINNER_COLUMNS = 3;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** Live progress: one line that renews itself on a terminal, plain lines elsewhere. */
export function createProgress(output: Output): Progress {
  const started = performance.now();
  let turn = 0;
  /** When the first page was done: before that, checkers were starting, which says nothing about their rate. */
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
        turn += 1;
        const line = cut(text, columnsOf(output) - SPINNER_COLUMNS);
        output.write(`\r\x1b[2K${styleText('cyan', SPINNER[turn % SPINNER.length] ?? '')} ${line}`);
        return;
      }
      const isDone = report.status === 'finished' || report.status === 'failed';
      const isTime = performance.now() - lastPlain.at >= PLAIN_INTERVAL_MS;
      if (text === lastPlain.text || !(isTime || isDone)) return;
      lastPlain = { at: performance.now(), text };
      output.write(`${text}\n`);
    },
    end() {
      if (isTerminal) output.write('\r\x1b[2K');
    },
  };
}

/** One line: pages found and checked, what failed, issues, rate, time left. What is nought is not worth a word. */
export function describe(report: ReportWithChecks, pagesPerSecond: number): string {
  if (report.num_pages === 0) return 'Fetching the starting page …';
  const kinds = Object.values(report.checks);
  const done = pagesDone(report);
  const failed = kinds.reduce((most, counts) => Math.max(most, counts.failed), 0);
  const issues = kinds.reduce((total, counts) => total + counts.errors + counts.warnings, 0);
  const left = timeLeft(report, pagesPerSecond);
  const parts = [
    isCrawling(report)
      ? `${plural(report.num_pages, 'page')} of at most ${report.max_pages} found, ${done} done`
      : `${done} of ${plural(report.num_pages, 'page')} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    plural(issues, 'issue'),
    ...(done > 0 ? [`${pagesPerSecond.toFixed(1)} pages/s`] : []),
    ...(left === null ? [] : [left]),
  ];
  return parts.join(' · ');
}

/** A page is done when the slowest kind of check has done it. */
function pagesDone(report: ReportWithChecks): number {
  const pending = Object.values(report.checks).reduce((most, counts) => Math.max(most, counts.pending), 0);
  return report.num_pages - pending;
}

function isCrawling({ status }: ReportWithChecks): boolean {
  return status === 'crawling' || status === 'pending';
}

/** The checks that wait at the rate so far; while crawling, at least the pages to come at the rate limit. */
function timeLeft(report: ReportWithChecks, rate: number): string | null {
  const done = pagesDone(report);
  if (report.status === 'finished' || report.status === 'failed' || done === 0) return null;
  const toCome = isCrawling(report) ? report.max_pages - report.num_pages : 0;
  const seconds = Math.ceil(Math.max((report.num_pages - done + toCome) / rate, toCome / report.rate_limit));
  return `${toCome > 0 ? 'at most' : 'about'} ${duration(seconds)} left`;
}
