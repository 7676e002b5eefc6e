import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.ts';
import { CHECK_KINDS } from '../checks/registry.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { livingWorkers } from '../queue/living-workers.ts';
import { findReport, type ReportWithChecks } from '../store/reports.ts';
import { createProgress } from './check-progress.ts';

const POLL_MS = 200;
/** A database that does not answer for longer than this will not do so soon. */
const DATABASE_PATIENCE_MS = 30_000;

/**
 * Sees a report through to its end, with live progress on standard error. While another process works on this database,
 * as `serve` does, it does the work with its warm checkers; this one begins when there is none, or none any more.
 * @returns null when it was stopped before
 * @throws AppError site_not_checkable; what a checker of ours throws when it does not start
 */
export async function watchReport(
  app: App,
  reportId: string,
  isStopped: () => boolean,
): Promise<ReportWithChecks | null> {
  const progress = createProgress(process.stderr);
  const work = createWork(app);
  let answeredAt = Date.now();
  try {
    while (!isStopped()) {
      try {
        const report = await findReport(app.db, reportId);
        answeredAt = Date.now();
        if (report === undefined) throw new AppError('site_not_checkable', 'The report was deleted while it ran.');
        progress.show(report);
        if (report.status === 'finished' || report.status === 'failed') return report;
        await work.doIfNobodyDoes(report);
      } catch (error) {
        // An embedded database that was killed is back in a moment.
        if (error instanceof AppError) throw error;
        if (Date.now() - answeredAt > DATABASE_PATIENCE_MS) throw notAnswering(error);
      }
      await delay(POLL_MS);
    }
    return null;
  } finally {
    progress.end();
  }
}

interface Work {
  /** @throws what a checker throws when it does not start: without it, the report would never end */
  doIfNobodyDoes(report: ReportWithChecks): Promise<void>;
}

function createWork(app: App): Work {
  let isStarted = false;
  let failure: unknown = null;
  return {
    async doIfNobodyDoes(report) {
      if (failure !== null) throw failure;
      if (isStarted || (await livingWorkers(app.db)).length > 0) return;
      isStarted = true;
      const kinds = CHECK_KINDS.filter((kind) => report.checks[kind] !== undefined);
      await app.startWork(kinds);
      const needed = app.checkers.filter(({ kind }) => kinds.includes(kind));
      for (const part of report.dynamic_crawler ? [...needed, app.browser] : needed) {
        part.start().catch((error: unknown) => {
          failure = error;
        });
      }
    },
  };
}

function notAnswering(cause: unknown): AppError {
  return new AppError('database_unavailable', `The database has stopped answering: ${messageOf(cause)}.`, { cause });
}
