import { setTimeout as delay } from 'node:timers/promises';
import type { CheckEngine } from '../checks/check-engine.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { type ClaimedCheck, claimChecks, releaseCheck } from '../queue/claims.ts';
import { type RunMeans, startWorkPump } from '../queue/work-pump.ts';
import type { Worker } from '../queue/worker.ts';
import { type CheckResult, saveCheckResults } from '../store/check-results.ts';
import { createResultSaver } from './result-saver.ts';
import { type CheckParts, runCheck } from './run-check.ts';

/** Checks claimed ahead for each one that runs, so that no checker waits for the database. */
const CLAIMED_AHEAD = 4;
/** How many of them are left when more are claimed. */
const CLAIMED_AHEAD_MIN = 2;
/** Checks on devices that wait for their turn at a time, for each one that runs. When there are so many, no more are claimed. */
const WAITING_FOR_TURN = 8;
/** How far a turn may be away when its check is claimed: farther than the worker's rounds are apart, or it would come late. */
const TURN_WITHIN_MS = 10_000;
/** Results waiting to be saved before the checkers wait for the database. */
const UNSAVED_MAX = 64;
/** How long a result that could not be saved waits before that is tried again: twice as long each time, up to the second. */
const SAVE_RETRY_MS = { first: 1_000, max: 8_000 } as const;
/** A result that could not be saved this often is given up, and its check has failed. */
const SAVES_MAX = 6;
/** What is said of checks without their own fault. Without the full stop. */
const OUR_FAULT = 'through a fault of this service; its log says more';

export interface CheckingParts extends CheckParts {
  readonly worker: Worker;
  readonly engine: CheckEngine;
  readonly log: Logger;
}

/** Keeps an engine busy with the checks that are free, until stopped. */
export function startChecking(parts: CheckingParts): { stop(): Promise<void> } {
  const { db, worker, engine, log } = parts;
  const saveResult = createResultSaver<CheckResult>((reportId, results) =>
    saveCheckResults(db, reportId, engine.kind, results),
  );

  /** Frees the check to be begun again; a database that does not answer frees it by the loss of this worker's lock. */
  const giveBack = (check: ClaimedCheck, wasBegun: boolean): Promise<void> =>
    releaseCheck(db, engine.kind, check, wasBegun).then(
      () => pump.wake(),
      (error: unknown) => log.warn({ reason: messageOf(error), url: check.url }, 'Could not give a check back'),
    );

  /** Saves what became of a check, in the end that it could not be saved. Never rejects. */
  const save = async (check: ClaimedCheck, outcome: CheckResult['outcome'], signal: AbortSignal): Promise<void> => {
    const { webPageId, claimId, reportId, url } = check;
    const unsaved = { error: `What the check found could not be saved ${OUR_FAULT}` };
    for (let failures = 0; ; ) {
      try {
        const kept = failures < SAVES_MAX ? outcome : unsaved;
        return await saveResult(reportId, { webPageId, claimId, outcome: kept });
      } catch (error) {
        log.error({ err: error, url, kind: engine.kind }, 'Could not save a check');
      }
      if (signal.aborted) return giveBack(check, true);
      const restMs = Math.min(SAVE_RETRY_MS.first * 2 ** failures, SAVE_RETRY_MS.max);
      await delay(restMs, undefined, { signal }).catch(() => undefined);
      failures += 1;
    }
  };

  /** An error that nothing foresees is no page's fault, and will most likely come again. */
  const breakOff = (check: ClaimedCheck, error: unknown): CheckResult['outcome'] => {
    log.error({ err: error, url: check.url, kind: engine.kind }, 'A check broke off');
    return { error: `The check broke off ${OUR_FAULT}` };
  };

  let waitingForTurn = 0;
  const waitingMax = engine.concurrency * WAITING_FOR_TURN;
  const claim = (limit: number): Promise<ClaimedCheck[]> => {
    const turnWithinMs = waitingForTurn < waitingMax ? TURN_WITHIN_MS : 0;
    const claimable = { keyHead: parts.vault.head, ...(engine.showsPages && { turnWithinMs }) };
    return claimChecks(db, engine.kind, worker.id(), limit, claimable);
  };

  const countPauses =
    (pause: RunMeans['pause']): RunMeans['pause'] =>
    (wait) => {
      waitingForTurn += 1;
      return pause(wait).finally(() => {
        waitingForTurn -= 1;
        if (waitingForTurn === waitingMax - 1) pump.wake();
      });
    };

  const saving = new Set<Promise<void>>();
  const pump = startWorkPump(parts, {
    topic: engine.kind,
    concurrency: engine.concurrency,
    batch: engine.concurrency * (CLAIMED_AHEAD + 1),
    ahead: engine.concurrency * CLAIMED_AHEAD_MIN,
    claim,
    async run(check, { signal, pause }) {
      const means = { signal, pause: countPauses(pause) };
      const outcome = await runCheck(parts, check, means).catch((error) => breakOff(check, error));
      if (outcome === null) return giveBack(check, true);
      const saved = save(check, outcome, signal).finally(() => saving.delete(saved));
      saving.add(saved);
      // The checker goes on with the next page meanwhile, unless the database falls behind.
      if (saving.size > UNSAVED_MAX) await saved;
    },
    giveBack: (check) => giveBack(check, false),
  });

  return {
    async stop() {
      await pump.stop();
      await Promise.all(saving);
    },
  };
}
