import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_DEVICE, findDevice, rotated } from '../browser/devices.ts';
import type { CheckEngine, CheckInput } from '../checks/check-engine.ts';
import type { Viewport } from '../domain/check.ts';
import { ownOrigins, type SignIn } from '../domain/site-access.ts';
import { CheckFailure, messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { type ClaimedCheck, claimChecks, noteBegin, releaseCheck } from '../queue/claims.ts';
import type { Worker } from '../queue/worker.ts';
import { type CheckOutcome, type CheckResult, saveCheckResults } from '../store/check-results.ts';
import type { Database } from '../store/database.ts';
import { unpackDocument } from '../store/documents.ts';
import { packRawCheck } from '../store/raw-checks.ts';
import { deferRequests } from '../store/request-turns.ts';
import { type AccessVault, UnreadableAccess } from './access-vault.ts';
import type { HostLimits } from './host-limits.ts';
import { createBrowserRequest } from './request-turn.ts';
import { createResultSaver } from './result-saver.ts';

/** A check that failed through no fault of its page is begun this often before it counts as failed. */
const ATTEMPTS_MAX = 3;
/** A check that was begun again this often and never ended took the whole process with it each time. */
const UNFINISHED_MAX = 4;
/** How often a checker that is down is asked whether it is back. */
const READY_POLL_MS = 500;
/** Checks claimed ahead for each one that runs, so that no checker waits for the database. */
const CLAIMED_AHEAD = 4;
/** Results waiting to be saved before the checkers wait for the database. */
const UNSAVED_MAX = 64;
const RETRY_DELAY_MS = 1_000;

export interface CheckingParts {
  readonly db: Database;
  readonly vault: AccessVault;
  readonly worker: Worker;
  readonly engine: CheckEngine;
  readonly hosts: HostLimits;
  readonly log: Logger;
}

/** Keeps an engine busy with the checks that are free, until stopped. Gives a function that stops it. */
export function startChecking(parts: CheckingParts): { stop(): Promise<void> } {
  const { db, worker, engine, log } = parts;
  const stopping = new AbortController();
  const saver = createResultSaver<CheckResult>((reportId, results) =>
    saveCheckResults(db, reportId, engine.kind, results),
  );
  const claimed: ClaimedCheck[] = [];
  const running = new Set<Promise<void>>();
  let filling: Promise<void> | null = null;
  let isWorkLikely = true;

  /** Frees the check to be begun again; a database that does not answer frees it by the loss of this worker's lock. */
  const giveBack = (check: ClaimedCheck): Promise<void> =>
    releaseCheck(db, engine.kind, check, !stopping.signal.aborted).then(
      () => {
        isWorkLikely = true;
      },
      (error: unknown) => log.warn({ reason: messageOf(error), url: check.url }, 'Could not give a check back'),
    );

  const save = async (check: ClaimedCheck, outcome: CheckResult['outcome']): Promise<void> => {
    const { webPageId, claimId } = check;
    try {
      await saver.save(check.reportId, { webPageId, claimId, outcome });
    } catch (error) {
      log.error({ err: error, url: check.url, kind: engine.kind }, 'Could not save a check');
      await giveBack(check);
    }
  };

  const run = async (check: ClaimedCheck): Promise<void> => {
    const outcome = await outcomeOf(check);
    if (outcome === null) return giveBack(check);
    const saved = save(check, outcome);
    // The checker goes on with the next page meanwhile, unless the database falls behind.
    if (saver.size() > UNSAVED_MAX) await saved;
  };

  const outcomeOf = async (check: ClaimedCheck): Promise<CheckResult['outcome'] | null> => {
    if (check.attempts > 1) {
      const begun = await noteBegin(db, engine.kind, check).catch(() => 0);
      if (begun > UNFINISHED_MAX) return { error: `The check of this page was begun ${begun} times and never ended` };
    }
    return runCheck(parts, check, stopping.signal);
  };

  const begin = (check: ClaimedCheck): void => {
    const task = run(check).finally(() => {
      running.delete(task);
      pump();
    });
    running.add(task);
  };

  const fill = async (): Promise<void> => {
    isWorkLikely = false;
    const wanted = engine.concurrency * (CLAIMED_AHEAD + 1);
    const checks = await claimChecks(db, engine.kind, worker.id(), wanted);
    claimed.push(...checks);
    if (checks.length === wanted) isWorkLikely = true;
  };

  const pump = (): void => {
    if (stopping.signal.aborted) return;
    while (running.size < engine.concurrency) {
      const check = claimed.shift();
      if (check === undefined) break;
      begin(check);
    }
    if (filling !== null || !isWorkLikely || claimed.length >= engine.concurrency * 2) return;
    filling = fill()
      .catch(async (error: unknown) => {
        log.warn({ reason: messageOf(error), kind: engine.kind }, 'Could not take up checks; will try again');
        await delay(RETRY_DELAY_MS);
        isWorkLikely = true;
      })
      .then(() => {
        filling = null;
        pump();
      });
  };

  const off = worker.onWork(engine.kind, () => {
    isWorkLikely = true;
    pump();
  });
  pump();

  return {
    async stop() {
      off();
      stopping.abort();
      await filling;
      await Promise.all(running);
      await saver.drained();
      await Promise.all(claimed.map(giveBack));
    },
  };
}

/** @returns the outcome to save, or null when the process stops before there is one */
async function runCheck(
  parts: CheckingParts,
  check: ClaimedCheck,
  signal: AbortSignal,
): Promise<CheckResult['outcome'] | null> {
  const { engine } = parts;
  for (let attempt = 1; ; attempt += 1) {
    const request = createBrowserRequest(parts, check, signal);
    try {
      const signIn = engine.showsPages ? signInOf(check, parts.vault) : undefined;
      return await examine(engine, check, { signIn, requestTurn: request.turn }, signal);
    } catch (error) {
      if (signal.aborted) return null;
      const isPermanent = error instanceof CheckFailure && error.permanent;
      if (isPermanent || attempt === ATTEMPTS_MAX) return { error: messageOf(error) };
      await respectRest(parts.db, check.reportId, error);
    } finally {
      request.over();
    }
    // A checker that is down says nothing about the page: another attempt while it is would only use them up.
    while (!(await engine.isReady()) && !signal.aborted) {
      await delay(READY_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A site that asked to be left alone gets no request for a document until then. */
async function respectRest(db: Database, reportId: string, error: unknown): Promise<void> {
  const restMs = error instanceof CheckFailure ? error.restMs : null;
  if (restMs !== null) await deferRequests(db, reportId, restMs).catch(() => undefined);
}

async function examine(
  engine: CheckEngine,
  check: ClaimedCheck,
  site: Pick<CheckInput, 'signIn' | 'requestTurn'>,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const { url, httpStatus, contentType, headers, reportId, storesRaw } = check;
  const document = { url, httpStatus, contentType, headers, body: await unpackDocument(check.compressedBody) };
  const viewport = engine.showsPages ? viewportOf(check) : DEFAULT_DEVICE.viewport;
  const input = { document, viewport, cacheGroup: reportId, keepsRaw: storesRaw, ...site };
  const raw = await engine.collect(input, signal);
  const issues = engine.interpret(raw, url);
  const kept = storesRaw ? engine.rawCheck(raw) : null;
  return kept === null ? { issues } : { issues, raw: await packRawCheck(kept) };
}

function viewportOf({ deviceId, deviceRotated }: ClaimedCheck): Viewport {
  const device = deviceId === null ? DEFAULT_DEVICE : findDevice(deviceId);
  if (device === undefined) {
    const message =
      'This version of sitewarden no longer knows the device of the report. Create a report with another one';
    throw new CheckFailure(message, { permanent: true });
  }
  return deviceRotated ? rotated(device.viewport) : device.viewport;
}

/** What signs the page in to its site; undefined where nothing does. */
function signInOf(
  { reportId, startingUrl, siteUrl, siteAccess }: ClaimedCheck,
  vault: AccessVault,
): SignIn | undefined {
  if (siteAccess === null) return undefined;
  try {
    return { access: vault.open(siteAccess, `report ${reportId}`), origins: ownOrigins(startingUrl, siteUrl) };
  } catch (error) {
    if (!(error instanceof UnreadableAccess)) throw error;
    throw new CheckFailure(error.message, { permanent: true, cause: error });
  }
}
