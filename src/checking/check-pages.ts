import { setTimeout as delay } from 'node:timers/promises';
import { isPassing, waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import { type ClaimedCheck, claimChecks, releaseCheck } from '../queue/claims.ts';
import { startConsumer } from '../queue/consumer.ts';
import type { Worker } from '../queue/worker.ts';
import { type CheckResult, saveCheckResults } from '../store/check-results.ts';
import { failUnsavableCheck } from '../store/unsavable-checks.ts';
import { type CheckParts, runCheck } from './run-check.ts';

/** Checks claimed ahead for each one that runs, so that no checker waits for the database. */
const CLAIMED_AHEAD = 4;
/** How many of them are left when more are claimed. */
const CLAIMED_AHEAD_MIN = 2;
/** Results waiting to be saved before the checkers wait for the database. */
const UNSAVED_MAX = 64;
/**
 * A result that the database refuses this often for a reason that lasts is given up, and its check has failed. More than
 * once, because not every error that passes is known as such.
 */
const REFUSALS_MAX = 3;
const REFUSAL_REST_MS = 1_000;

export interface CheckingParts extends CheckParts {
  readonly worker: Worker;
}

interface MemberCheck extends ClaimedCheck {
  /** Aborted when the claim is lost. */
  readonly membership: AbortSignal;
}

/** Keeps an engine busy with the checks that are free, until stopped. */
export function startChecking(parts: CheckingParts): { stop(): Promise<void> } {
  const { db, worker, engine, log } = parts;
  const saveResult = createResultSaver<CheckResult>((reportId, results) =>
    saveCheckResults(db, reportId, engine.kind, results),
  );

  /** Frees the check to be begun again, however long the database is away; at the end, the loss of this worker's lock does. */
  const giveBack = (check: ClaimedCheck, wasBegun: boolean, signal: AbortSignal): Promise<void> => {
    const failure = 'Could not give a check back';
    return waitOut(() => releaseCheck(db, engine.kind, check, wasBegun), { signal, log, failure }).then(
      () => consumer.wake(),
      (error: unknown) => log.warn({ reason: messageOf(error), url: check.url }, failure),
    );
  };

  /** Saves what became of a check, however long the database is away. A result that it refuses is given up. Never rejects. */
  const save = async (check: ClaimedCheck, outcome: CheckResult['outcome'], signal: AbortSignal): Promise<void> => {
    const { webPageId, claimId, reportId, url } = check;
    const { kind } = engine;
    const failure = 'Could not save a check';
    const onRefusal = (error: unknown): void => log.error({ err: error, url, kind }, failure);
    for (let refusals = 0; refusals < REFUSALS_MAX; refusals += 1) {
      try {
        const result = { webPageId, claimId, outcome };
        return await waitOut(() => saveResult(reportId, result), { signal, log, failure });
      } catch (error) {
        if (!isPassing(error)) onRefusal(error);
        if (signal.aborted) return giveBack(check, true, signal);
      }
      await delay(REFUSAL_REST_MS, undefined, { signal }).catch(() => undefined);
    }
    const unsaved = { code: 'check_not_saved', params: {} } as const;
    // What is refused even so stays claimed until this process ends: there is no more to be tried.
    await waitOut(() => failUnsavableCheck(db, kind, check, unsaved), { signal, log, failure }).catch(onRefusal);
  };

  /** An error that nothing foresees is no page's fault, and will most likely come again. */
  const breakOff = (check: ClaimedCheck, error: unknown): CheckResult['outcome'] => {
    log.error({ err: error, url: check.url, kind: engine.kind }, 'A check broke off');
    return { error: { code: 'check_broke_off', params: {} } };
  };

  const claim = async (limit: number): Promise<MemberCheck[]> => {
    // Taken before the claim: one that is made under a lost membership ends with it.
    const membership = worker.membership();
    const checks = await claimChecks(db, engine.kind, worker.id(), limit);
    return checks.map((check) => ({ ...check, membership }));
  };

  const saving = new Set<Promise<void>>();
  const consumer = startConsumer<MemberCheck>(parts, {
    topic: engine.kind,
    concurrency: engine.concurrency,
    batch: engine.concurrency * (CLAIMED_AHEAD + 1),
    ahead: engine.concurrency * CLAIMED_AHEAD_MIN,
    claim,
    async run(check, { signal: stopping, stepAside }) {
      // Whoever claims the check next does all of it: what would be found under a lost claim is not saved.
      const signal = AbortSignal.any([stopping, check.membership]);
      const outcome = await runCheck(parts, check, { signal, stepAside }).catch((error) =>
        signal.aborted ? null : breakOff(check, error),
      );
      if (outcome === null) return giveBack(check, true, stopping);
      const saved = save(check, outcome, stopping).finally(() => saving.delete(saved));
      saving.add(saved);
      // The checker goes on with the next page meanwhile, unless the database falls behind.
      if (saving.size > UNSAVED_MAX) await saved;
    },
    giveBack: (check) => giveBack(check, false, AbortSignal.abort()),
  });

  return {
    async stop() {
      await consumer.stop();
      await Promise.all(saving);
    },
  };
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
 * @returns saves a result, and resolves when it is durable
 */
function createResultSaver<Result>(
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
