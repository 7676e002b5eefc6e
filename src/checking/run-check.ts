import { setTimeout as delay } from 'node:timers/promises';
import { viewportOf } from '../browser/devices.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { DEFAULT_VIEWPORT, type Viewport } from '../domain/check.ts';
import { CheckFailure } from '../domain/check-failure.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { createRedaction, type Redaction, redacted } from '../domain/redaction.ts';
import type { Screenshot } from '../domain/screenshot.ts';
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

/** A check that began this often without ending has most likely killed its process each time. */
const UNFINISHED_MAX = 4;
/** How often an engine that is down is polled. */
const READY_POLL_MS = 500;

export interface CheckParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly engine: CheckEngine;
  readonly log: Logger;
  readonly interpreter: Interpreter;
}

/**
 * Runs a check, and repeats it after temporary faults.
 * @returns its outcome; null if the check must be released, because the process stops or the claim is lost
 * @throws lasting database errors, and any error when aborted
 */
export async function runCheck(
  parts: CheckParts,
  check: ClaimedCheck,
  means: RunMeans,
): Promise<CheckResult['outcome'] | null> {
  const { signal } = means;
  const { db, engine, log } = parts;
  // The claim may have been lost while the check waited.
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

/** Returns the failure of an error; for an unexpected one, with its message. */
function failureOf(error: unknown): Failure {
  return error instanceof CheckFailure ? error.failure : { code: 'check_error', params: { text: messageOf(error) } };
}

/** Waits until the engine is ready: while it is down, a retry would say nothing about the page. */
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
  const { storesScreenshots } = check;
  const { signIn, access } = site;
  const viewport = viewportFor(engine, check);
  const document = { url, httpStatus, contentType, headers, body: await unpackDocument(check.compressedBody) };
  const { alone } = retries;
  const input = {
    ...{ document, viewport, cacheGroup: reportId, signIn, waitFor, keepsRaw: storesRaw, alone },
    ...{ requestsPerSecond: rateLimit, exclusions },
  };
  let screenshot: Screenshot | null = null;
  const keepScreenshot = storesScreenshots
    ? (taken: Screenshot): void => {
        screenshot = taken;
      }
    : undefined;
  const answer = await engine.collect({ ...input, keepScreenshot, stepAside: means.stepAside }, means.signal);
  const answered = { kind: engine.kind, answer, url, document, access, storesRaw };
  return { ...(await interpreter.interpret(answered)), screenshot };
}

/** Engines that only send requests use the default for a device that no longer exists, as crawls do. */
function viewportFor({ showsPages }: CheckEngine, { deviceId, deviceRotated }: ClaimedCheck): Viewport {
  const viewport = viewportOf(deviceId, deviceRotated);
  if (viewport !== undefined) return viewport;
  if (!showsPages) return DEFAULT_VIEWPORT;
  throw new CheckFailure({ code: 'device_unknown', params: {} }, { permanent: true });
}

/** The credentials of a page's site, and how to mask them. */
interface Site {
  /** Undefined without credentials. */
  readonly signIn: SignIn | undefined;
  readonly access: SiteAccess;
  /** Null without credentials. */
  readonly redaction: Redaction | null;
}

/** @returns the failure if the credentials cannot be decrypted: then they could not be masked either */
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

/** Retries of a check after a temporary fault of its page or site. */
const RETRIES_MAX = 1;

/** The history of a check that is retried. */
export interface CheckRetries {
  /** Temporary faults of its own. */
  readonly faults: number;
  /** Whether it must run alone, because it was running when the engine crashed. */
  readonly alone: boolean;
}

export const FIRST_ATTEMPT: CheckRetries = { faults: 0, alone: false };

/**
 * Decides whether a check is retried after an error. If another page may be to blame, it is retried alone, so that only the page
 * that causes a crash fails. An unavailable engine does not count as a fault.
 * @returns the history for the next attempt; null if the check has failed
 */
export function afterFault(error: unknown, before: CheckRetries): CheckRetries | null {
  const { permanent, blame } = error instanceof CheckFailure ? error : { permanent: false, blame: 'anybody' };
  if (permanent) return null;
  if (blame === 'checker') return before;
  if (blame === 'anybody') return before.alone ? null : { ...before, alone: true };
  return before.faults < RETRIES_MAX ? { ...before, faults: before.faults + 1 } : null;
}
