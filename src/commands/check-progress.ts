import { styleText } from 'node:util';
import type { ReportWithChecks } from '../store/reports.ts';

export interface Progress {
  show(report: ReportWithChecks): void;
  /** Leaves the terminal as it was. */
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Where the output is no terminal: a line when something changed, no more often than this. */
const PLAIN_INTERVAL_MS = 5_000;
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
        output.write(`\r\x1b[2K${styleText('cyan', SPINNER[turn % SPINNER.length] ?? '')} ${text}`);
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

/** One line: pages found, checked, failed, issues, rate, time left. */
export function describe(report: ReportWithChecks, pagesPerSecond: number): string {
  const kinds = Object.values(report.checks);
  const sum = (pick: (counts: (typeof kinds)[number]) => number): number =>
    kinds.reduce((total, counts) => total + pick(counts), 0);
  const parts = [
    `${report.num_pages} of at most ${report.max_pages} pages found`,
    `${pagesDone(report)} checked`,
    `${sum((counts) => counts.failed)} failed`,
    `${sum((counts) => counts.errors + counts.warnings)} issues`,
    `${pagesPerSecond.toFixed(1)} pages/s`,
  ];
  const left = timeLeft(report, pagesPerSecond);
  return [...parts, ...(left === null ? [] : [left])].join(' · ');
}

/** A page is done when the slowest kind of check has done it. */
function pagesDone(report: ReportWithChecks): number {
  const pending = Object.values(report.checks).reduce((most, counts) => Math.max(most, counts.pending), 0);
  return report.num_pages - pending;
}

/** The checks that wait at the rate so far; while crawling, at least the pages to come at the rate limit. */
function timeLeft(report: ReportWithChecks, rate: number): string | null {
  if (report.status === 'finished' || report.status === 'failed' || rate === 0) return null;
  const isCrawling = report.status === 'crawling' || report.status === 'pending';
  const toCome = isCrawling ? report.max_pages - report.num_pages : 0;
  const seconds = Math.ceil(
    Math.max((report.num_pages - pagesDone(report) + toCome) / rate, toCome / report.rate_limit),
  );
  const time = seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${isCrawling ? 'at most' : 'about'} ${time} left`;
}
