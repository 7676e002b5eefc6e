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

export interface CheckingParts extends CheckParts {
  readonly worker: Worker;
  readonly engine: CheckEngine;
  readonly log: Logger;
}

/** Keeps an engine busy with the checks that are free, until stopped. */
export function startChecking(parts: CheckingParts): { stop(): Promise<void> } {
  const { db, worker, engine, log } = parts;
  const saver = createResultSaver<CheckResult>((reportId, results) =>
    saveCheckResults(db, reportId, engine.kind, results),
  );

  /** Frees the check to be begun again; a database that does not answer frees it by the loss of this worker's lock. */
  const giveBack = (check: ClaimedCheck, counts: boolean): Promise<void> =>
    releaseCheck(db, engine.kind, check, counts).then(
      () => pump.wake(),
      (error: unknown) => log.warn({ reason: messageOf(error), url: check.url }, 'Could not give a check back'),
    );

  const save = async (check: ClaimedCheck, outcome: CheckResult['outcome']): Promise<void> => {
    const { webPageId, claimId } = check;
    try {
      await saver.save(check.reportId, { webPageId, claimId, outcome });
    } catch (error) {
      log.error({ err: error, url: check.url, kind: engine.kind }, 'Could not save a check');
      await giveBack(check, true);
    }
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

  const pump = startWorkPump(parts, {
    topic: engine.kind,
    concurrency: engine.concurrency,
    batch: engine.concurrency * (CLAIMED_AHEAD + 1),
    ahead: engine.concurrency * CLAIMED_AHEAD_MIN,
    claim,
    async run(check, { signal, pause }) {
      const outcome = await runCheck(parts, check, { signal, pause: countPauses(pause) });
      if (outcome === null) return giveBack(check, false);
      const saved = save(check, outcome);
      // The checker goes on with the next page meanwhile, unless the database falls behind.
      if (saver.size() > UNSAVED_MAX) await saved;
    },
    giveBack: (check) => giveBack(check, false),
  });

  return {
    async stop() {
      await pump.stop();
      await saver.drained();
    },
  };
}
