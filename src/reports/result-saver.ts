import { setTimeout as delay } from 'node:timers/promises';

export interface ResultSaver<Result> {
  /** Resolves when the result is durable. */
  save(reportId: string, result: Result): Promise<void>;
  /** Results that are not durable yet. */
  size(): number;
  /** Resolves when nothing is left to save. */
  drained(): Promise<void>;
}

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
 */
export function createResultSaver<Result>(
  write: (reportId: string, results: readonly Result[]) => Promise<void>,
): ResultSaver<Result> {
  const waiting = new Map<string, Waiting<Result>[]>();
  const writing = new Map<string, Promise<void>>();
  let size = 0;

  const writeBatch = async (reportId: string, batch: readonly Waiting<Result>[]): Promise<void> => {
    const results = batch.map(({ result }) => result);
    try {
      await write(reportId, results);
      for (const { saved } of batch) saved.resolve();
    } catch (error) {
      // One result that cannot be written must not take its neighbours with it.
      if (batch.length > 1) for (const single of batch) await writeBatch(reportId, [single]);
      else for (const { saved } of batch) saved.reject(error);
    }
  };

  const flush = async (reportId: string, queue: Waiting<Result>[]): Promise<void> => {
    while (queue.length > 0) {
      if (queue.length < BATCH_MAX) await delay(GATHER_MS);
      const batch = queue.splice(0, BATCH_MAX);
      await writeBatch(reportId, batch);
      size -= batch.length;
    }
    waiting.delete(reportId);
    writing.delete(reportId);
  };

  return {
    save(reportId, result) {
      const saved = Promise.withResolvers<void>();
      const queue = waiting.get(reportId) ?? [];
      queue.push({ result, saved });
      waiting.set(reportId, queue);
      size += 1;
      if (!writing.has(reportId)) writing.set(reportId, flush(reportId, queue));
      return saved.promise;
    },
    size: () => size,
    async drained() {
      while (writing.size > 0) await Promise.all(writing.values());
    },
  };
}
