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
  let lastPlain = { at: Number.NEGATIVE_INFINITY, text: '' };
  const isTerminal = output.isTTY === true;

  return {
    show(report) {
      const seconds = (performance.now() - started) / 1_000;
      const text = describe(report, seconds);
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
export function describe(report: ReportWithChecks, seconds: number): string {
  const kinds = Object.values(report.checks);
  const sum = (pick: (counts: (typeof kinds)[number]) => number): number =>
    kinds.reduce((total, counts) => total + pick(counts), 0);
  // A page is done when the slowest kind of check has done it.
  const pending = kinds.reduce((most, counts) => Math.max(most, counts.pending), 0);
  const done = report.num_pages - pending;
  const rate = done / Math.max(seconds, 0.001);
  const parts = [
    `${report.num_pages} of at most ${report.max_pages} pages found`,
    `${done} checked`,
    `${sum((counts) => counts.failed)} failed`,
    `${sum((counts) => counts.errors + counts.warnings)} issues`,
    `${rate.toFixed(1)} pages/s`,
  ];
  const left = timeLeft(report, pending, rate);
  return [...parts, ...(left === null ? [] : [left])].join(' · ');
}

/** The checks that wait at the rate so far; while crawling, at least the pages to come at the rate limit. */
function timeLeft(report: ReportWithChecks, pending: number, rate: number): string | null {
  if (report.status === 'finished' || report.status === 'failed' || rate === 0) return null;
  const isCrawling = report.status === 'crawling' || report.status === 'pending';
  const toCome = isCrawling ? report.max_pages - report.num_pages : 0;
  const seconds = Math.ceil(Math.max((pending + toCome) / rate, toCome / report.rate_limit));
  const time = seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${isCrawling ? 'at most' : 'about'} ${time} left`;
}
