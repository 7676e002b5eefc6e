import { setTimeout as delay } from 'node:timers/promises';
import { viewportOf } from '../browser/devices.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { DEFAULT_VIEWPORT, type Viewport } from '../domain/check.ts';
import { CheckFailure } from '../domain/check-failure.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { createRedaction, type Redaction, redacted } from '../domain/redaction.ts';
import { ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';
import { waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { unpackDocument } from '../platform/packed-document.ts';
import { type ClaimedCheck, recordStart } from '../queue/claims.ts';
import type { RunMeans } from '../queue/consumer.ts';
import type { CheckOutcome, CheckResult } from '../store/check-results.ts';
import { type CredentialStore, UnreadableAccess } from '../store/credential-store.ts';
import type { Database } from '../store/database.ts';
import type { Interpreter } from './interpreter.ts';

/** A check that was begun again this often and never ended took the whole process with it each time. */
const UNFINISHED_MAX = 4;
/** How often a checker that is down is asked whether it is back. */
const READY_POLL_MS = 500;

export interface CheckParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly engine: CheckEngine;
  readonly log: Logger;
  readonly interpreter: Interpreter;
}

/**
 * Runs a check to its outcome, and again after faults that may pass.
 * @returns null when there is none, and it is to be given back: the process stops, or its claim is lost
 * @throws what lasts of the database's errors, and any when aborted
 */
export async function runCheck(
  parts: CheckParts,
  check: ClaimedCheck,
  means: RunMeans,
): Promise<CheckResult['outcome'] | null> {
  const { signal } = means;
  const { db, engine, log } = parts;
  // Its claim may have been lost while it waited its turn.
  if (signal.aborted) return null;
  if (check.attempts > 1) {
    const failure = 'Could not note that a check begins';
    const begun = await waitOut(() => recordStart(db, engine.kind, check), { signal, log, failure });
    if (begun === null) return null;
    if (begun > UNFINISHED_MAX) return { error: { code: 'check_never_ended', params: { times: begun } } };
  }
  const site = openSite(check, parts.credentialStore);
  if ('error' in site) return site;
  for (let retries = FIRST_ATTEMPT; ; ) {
    try {
      return await examine(parts, check, site, { retries, ...means });
    } catch (error) {
      if (signal.aborted) return null;
      const next = afterFault(error, retries);
      if (next === null) return { error: redacted(failureOf(error), site.redaction) };
      retries = next;
    }
    await untilReady(engine, signal);
  }
}

/** What is not foreseen is told in the words of who threw it. */
function failureOf(error: unknown): Failure {
  return error instanceof CheckFailure ? error.failure : { code: 'check_error', params: { text: messageOf(error) } };
}

/** While a checker is down there is nothing to be learned about the page. */
async function untilReady(engine: CheckEngine, signal: AbortSignal): Promise<void> {
  while (!(await engine.isReady().catch(() => false)) && !signal.aborted) {
    await delay(READY_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function examine(
  parts: CheckParts,
  check: ClaimedCheck,
  site: Site,
  { retries, ...means }: RunMeans & { readonly retries: CheckRetries },
): Promise<CheckOutcome> {
  const { engine, interpreter } = parts;
  const { url, httpStatus, contentType, headers, reportId, waitFor, storesRaw, rateLimit, exclusions } = check;
  const { signIn, access } = site;
  const viewport = viewportFor(engine, check);
  const document = { url, httpStatus, contentType, headers, body: await unpackDocument(check.compressedBody) };
  const { alone } = retries;
  const input = {
    ...{ document, viewport, cacheGroup: reportId, signIn, waitFor, keepsRaw: storesRaw, alone },
    ...{ requestsPerSecond: rateLimit, exclusions },
  };
  const answer = await engine.collect({ ...input, stepAside: means.stepAside }, means.signal);
  return interpreter.interpret({ kind: engine.kind, answer, url, access, storesRaw });
}

/** Engines that only send requests use the default for a device that no longer exists, as crawls do. */
function viewportFor({ showsPages }: CheckEngine, { deviceId, deviceRotated }: ClaimedCheck): Viewport {
  const viewport = viewportOf(deviceId, deviceRotated);
  if (viewport !== undefined) return viewport;
  if (!showsPages) return DEFAULT_VIEWPORT;
  throw new CheckFailure({ code: 'device_unknown', params: {} }, { permanent: true });
}

/** The site of a page: what signs in to it, and keeps that out of what is told of the page. */
interface Site {
  /** Undefined where nothing signs in. */
  readonly signIn: SignIn | undefined;
  readonly access: SiteAccess;
  /** Null where there is nothing to hide. */
  readonly redaction: Redaction | null;
}

/** @returns why it cannot be told what signs in: then nothing of the page may be told either */
function openSite(check: ClaimedCheck, credentialStore: CredentialStore): Site | { readonly error: Failure } {
  const { reportId, startingUrl, siteUrl, siteAccess } = check;
  try {
    const access = credentialStore.open(siteAccess, `report ${reportId}`);
    const signIn = siteAccess === null ? undefined : { access, origins: ownOrigins(startingUrl, siteUrl) };
    return { signIn, access, redaction: createRedaction(access) };
  } catch (error) {
    if (!(error instanceof UnreadableAccess)) throw error;
    return { error: error.failure };
  }
}

/** How often a check is tried again after a fault of its page or site that may pass. */
const RETRIES_MAX = 1;

/** What went before the next attempt at a check. */
export interface CheckRetries {
  /** Faults of its own that may pass. */
  readonly faults: number;
  /** Whether nothing else may be under way in the checker: the check was under way when it broke down. */
  readonly alone: boolean;
}

export const FIRST_ATTEMPT: CheckRetries = { faults: 0, alone: false };

/**
 * What becomes of a check after an error. One that may be another page's fault is tried again alone: who fails then is the
 * one, and nobody fails for others. A checker that is not there says nothing about a page.
 * @returns null when it has failed
 */
export function afterFault(error: unknown, before: CheckRetries): CheckRetries | null {
  const { permanent, blame } = error instanceof CheckFailure ? error : { permanent: false, blame: 'anybody' };
  if (permanent) return null;
  if (blame === 'checker') return before;
  if (blame === 'anybody') return before.alone ? null : { ...before, alone: true };
  return before.faults < RETRIES_MAX ? { ...before, faults: before.faults + 1 } : null;
}
