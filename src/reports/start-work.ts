import { setTimeout as delay } from 'node:timers/promises';
import { type CheckingParts, startChecking } from '../checking/check-pages.ts';
import type { Interpreter } from '../checking/interpreter.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { type CrawlingParts, startCrawling } from '../crawling/start-crawling.ts';
import { messageOf } from '../platform/errors.ts';
import type { Database } from '../store/database.ts';
import { needsBrowser } from '../store/reports/needs-browser.ts';
import type { ReportWithChecks } from '../store/reports/reports.ts';
import { startApplyingDecisions } from './apply-decisions.ts';
import { startApplyingMutings } from './apply-mutings.ts';
import { startInsights } from './compute-insights.ts';
import { startEndingAccounts } from './end-accounts.ts';
import { startPurging } from './retention.ts';

/** The pause before an engine that failed to start is started again. */
const ENGINE_RETRY_MS = 15_000;

export interface WorkParts extends Omit<CrawlingParts, 'onCrawl'>, Pick<CheckingParts, 'onCheck' | 'busyAttempts'> {
  /** For tasks that can wait, with statements that may take a long time. */
  readonly backgroundDb: Database;
  readonly engines: readonly CheckEngine[];
  readonly interpreter: Interpreter;
}

/**
 * Does all work on reports: crawling from the start, each kind of check as soon as its engine is ready. `stop` does not stop the
 * engines, not even engines that are starting: stopping an engine ends its start.
 */
export function startWork(parts: WorkParts): { stop(): Promise<void> } {
  const { log } = parts;
  const stopping = new AbortController();
  const background = [startPurging, startEndingAccounts, startApplyingMutings, startApplyingDecisions, startInsights];
  /** Their start takes as long as fetching the first pages of a crawl. */
  const wakeEngines = (report: ReportWithChecks): void => {
    for (const { kind, showsPages, wake } of parts.engines)
      if (report.checks[kind] !== undefined || (showsPages && needsBrowser(report))) void wake?.();
  };
  const tasks = [
    startCrawling({ ...parts, onCrawl: wakeEngines }),
    ...background.map((start) => start({ ...parts, db: parts.backgroundDb })),
  ];

  const start = async (engine: CheckEngine): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await engine.start();
        if (!stopping.signal.aborted) tasks.push(startChecking({ ...parts, engine }));
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        const { kind } = engine;
        log.warn({ kind, reason: messageOf(error) }, `The ${kind} engine did not start; will retry`);
        await delay(ENGINE_RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };
  for (const engine of parts.engines) void start(engine);

  return {
    async stop() {
      stopping.abort();
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
