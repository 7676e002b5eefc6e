import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from '../platform/database-errors.ts';

interface Waiting<Result> {
  readonly result: Result;
  readonly saved: PromiseWithResolvers<void>;
}

/** Results written together at most: a transaction stays short. */
const BATCH_MAX = 32;
/** How long a batch gathers. A transaction costs about as much for ten results as for one, and the cores are wanted. */
const GATHER_MS = 100;

/**
 * Saves results in batches: what comes within `GATHER_MS` is written together. Each batch is of one report, because a
 * report's counts are changed by one transaction at a time.
 * @returns saves a result, and resolves when it is durable
 */
export function createResultSaver<Result>(
  write: (reportId: string, results: readonly Result[]) => Promise<void>,
): (reportId: string, result: Result) => Promise<void> {
  const waiting = new Map<string, Waiting<Result>[]>();

  const writeBatch = async (reportId: string, batch: readonly Waiting<Result>[]): Promise<void> => {
    const results = batch.map(({ result }) => result);
    try {
      await write(reportId, results);
      for (const { saved } of batch) saved.resolve();
    } catch (error) {
      // One result that cannot be written must not take its neighbours with it.
      if (batch.length > 1 && !isPassing(error)) for (const single of batch) await writeBatch(reportId, [single]);
      else for (const { saved } of batch) saved.reject(error);
    }
  };

  const flush = async (reportId: string, queue: Waiting<Result>[]): Promise<void> => {
    while (queue.length > 0) {
      if (queue.length < BATCH_MAX) await delay(GATHER_MS);
      const batch = queue.splice(0, BATCH_MAX);
      await writeBatch(reportId, batch);
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
