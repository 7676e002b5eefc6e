import { setTimeout as delay } from 'node:timers/promises';
import { isPassing, waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import { type ClaimedCheck, claimChecks, releaseCheck } from '../queue/claims.ts';
import { startConsumer } from '../queue/consumer.ts';
import type { Worker } from '../queue/worker.ts';
import { type CheckResult, saveCheckResults } from '../store/check-results.ts';
import { failUnsavableCheck } from '../store/unsavable-checks.ts';
import { type CheckParts, runCheck } from './run-check.ts';

/** Checks claimed ahead for each running one, so that the engine does not wait for the database. */
const CLAIMED_AHEAD = 4;
/** More are claimed when this many are left. */
const CLAIMED_AHEAD_MIN = 2;
/** Unsaved results above which the engine pauses. */
const UNSAVED_MAX = 64;
/**
 * Attempts to save a result that the database rejects with a lasting error, before its check fails. More than one, because not
 * every temporary error is known as such.
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

/** Runs the pending checks of an engine, until stopped. */
export function startChecking(parts: CheckingParts): { stop(): Promise<void> } {
  const { db, worker, engine, log } = parts;
  const saveResult = createResultSaver<CheckResult>((reportId, results) =>
    saveCheckResults(db, reportId, engine.kind, results),
  );

  /** Releases a check, and waits for the database as long as it takes. At shutdown, the loss of this worker's lock releases it. */
  const giveBack = (check: ClaimedCheck, wasBegun: boolean, signal: AbortSignal): Promise<void> => {
    const failure = 'Could not release a check';
    return waitOut(() => releaseCheck(db, engine.kind, check, wasBegun), { signal, log, failure }).then(
      () => consumer.wake(),
      (error: unknown) => log.warn({ reason: messageOf(error), url: check.url }, failure),
    );
  };

  /** Saves the outcome of a check, and waits for the database as long as it takes. If it is rejected for good, the check fails. Never rejects. */
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
    // If even this is rejected, the check stays claimed until this process ends.
    await waitOut(() => failUnsavableCheck(db, kind, check, unsaved), { signal, log, failure }).catch(onRefusal);
  };

  /** An unexpected error is not the page's fault, and would most likely occur again. */
  const failUnexpectedly = (check: ClaimedCheck, error: unknown): CheckResult['outcome'] => {
    log.error({ err: error, url: check.url, kind: engine.kind }, 'A check failed unexpectedly');
    return { error: { code: 'check_broke_off', params: {} } };
  };

  const claim = async (limit: number): Promise<MemberCheck[]> => {
    // Read before the claim, so that a claim made after the membership was lost ends too.
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
      // Results under a lost claim are not saved: the next claimant repeats the check.
      const signal = AbortSignal.any([stopping, check.membership]);
      const outcome = await runCheck(parts, check, { signal, stepAside }).catch((error) =>
        signal.aborted ? null : failUnexpectedly(check, error),
      );
      if (outcome === null) return giveBack(check, true, stopping);
      const saved = save(check, outcome, stopping).finally(() => saving.delete(saved));
      saving.add(saved);
      // Meanwhile the engine continues with the next page, unless the database falls behind.
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

/** Results written together at most, so that transactions stay short. */
const BATCH_MAX = 32;
/** How long results are collected for a batch. A transaction with ten results costs about as much as one with a single result. */
const GATHER_MS = 100;

/**
 * Saves results in batches: those that arrive within `GATHER_MS` are written together. Each batch belongs to one report,
 * because a report is changed by one transaction at a time.
 * @returns a function that saves a result, and resolves when it is durable
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
      // A result that cannot be written must not affect the others.
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
