import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '../platform/database-errors.ts';
import { ReportBusy, type ReportTransactionOptions } from '../store/reports/report-transaction.ts';

interface Waiting<Result> {
  readonly result: Result;
  readonly saved: PromiseWithResolvers<void>;
}

/** Maximum number of results written together, so that transactions stay short. */
const BATCH_MAX = 64;
/**
 * How long results are collected for a batch: the minimum, and the maximum while more results of the report are expected. A
 * transaction with ten results costs about as much as one with a single result.
 */
const GATHER_MS = { least: 50, most: 300, step: 50 };
/**
 * How long results are collected while another process writes to the report. The time doubles with each attempt, up to the
 * maximum. Waiting for the lock instead would hold a connection, which other reports need.
 */
const BUSY_MS = { first: 40, max: 640 };
/**
 * How many times a busy report is tried. After that, the transaction waits for its turn, because other processes may always come
 * first.
 */
const BUSY_ATTEMPTS = 12;

/** Writes results of one report. @throws ReportBusy if the report is busy and `waits` is false */
type WriteResults<Result> = (
  reportId: string,
  results: readonly Result[],
  options: ReportTransactionOptions,
) => Promise<void>;

/**
 * Saves results in batches: results that arrive within `GATHER_MS` are written together. Each batch belongs to one report,
 * because a report is changed by one transaction at a time.
 * @param isMoreExpected whether more results of a report are about to be saved
 * @param busyAttempts how many times a busy report is tried before the transaction waits for its turn; default: 12
 * @returns a function that saves a result, and resolves when it is durable
 */
export function createResultSaver<Result>(
  write: WriteResults<Result>,
  isMoreExpected: (reportId: string) => boolean,
  busyAttempts: number = BUSY_ATTEMPTS,
): (reportId: string, result: Result) => Promise<void> {
  const waiting = new Map<string, Waiting<Result>[]>();

  /** @returns whether the results are written or refused; not if the report is busy */
  const writeBatch = async (reportId: string, batch: readonly Waiting<Result>[], waits: boolean): Promise<boolean> => {
    try {
      await write(
        reportId,
        batch.map(({ result }) => result),
        { waits },
      );
      for (const { saved } of batch) saved.resolve();
    } catch (error) {
      if (error instanceof ReportBusy) return false;
      await refuse(reportId, batch, error);
    }
    return true;
  };
  /** A result that cannot be written must not affect the others. */
  const refuse = async (reportId: string, batch: readonly Waiting<Result>[], error: unknown): Promise<void> => {
    if (batch.length > 1 && !isTransient(error)) for (const single of batch) await writeBatch(reportId, [single], true);
    else for (const { saved } of batch) saved.reject(error);
  };

  const gather = async (reportId: string, queue: readonly Waiting<Result>[]): Promise<void> => {
    const isWorthIt = (waitedMs: number): boolean => waitedMs < GATHER_MS.least || isMoreExpected(reportId);
    for (let waitedMs = 0; waitedMs < GATHER_MS.most && isWorthIt(waitedMs); waitedMs += GATHER_MS.step) {
      if (queue.length >= BATCH_MAX) return;
      await delay(GATHER_MS.step);
    }
  };

  const flush = async (reportId: string, queue: Waiting<Result>[]): Promise<void> => {
    for (let busy = 0; queue.length > 0; ) {
      const busyMs = Math.min(BUSY_MS.first * 2 ** (busy - 1), BUSY_MS.max);
      if (busy > 0) await delay(busyMs * (0.5 + Math.random()));
      else await gather(reportId, queue);
      const batch = queue.splice(0, BATCH_MAX);
      const isWritten = await writeBatch(reportId, batch, busy >= busyAttempts);
      busy = isWritten ? 0 : busy + 1;
      if (!isWritten) queue.unshift(...batch);
    }
    waiting.delete(reportId);
  };

  return (reportId, result) => {
    const saved = Promise.withResolvers<void>();
    const queue = waiting.get(reportId);
    if (queue === undefined) {
      const begun = [{ result, saved }];
      waiting.set(reportId, begun);
      void flush(reportId, begun);
    } else {
      queue.push({ result, saved });
    }
    return saved.promise;
  };
}
