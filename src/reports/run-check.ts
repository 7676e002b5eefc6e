import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_DEVICE, findDevice, rotated } from '../browser/devices.ts';
import type { CheckEngine, CheckInput } from '../checks/check-engine.ts';
import type { Viewport } from '../domain/check.ts';
import { ownOrigins, type SignIn } from '../domain/site-access.ts';
import type { HostLimits } from '../egress/host-limit/host-limits.ts';
import { CheckFailure, messageOf } from '../platform/errors.ts';
import { type ClaimedCheck, noteBegin } from '../queue/claims.ts';
import type { CheckOutcome, CheckResult } from '../store/check-results.ts';
import type { Database } from '../store/database.ts';
import { unpackDocument } from '../store/documents.ts';
import { packRawCheck } from '../store/raw-checks.ts';
import { deferRequests } from '../store/request-turns.ts';
import { type AccessVault, UnreadableAccess } from './access-vault.ts';
import { createBrowserRequest } from './request-turn.ts';

/** A check that failed through no fault of its page is begun this often before it counts as failed. */
const ATTEMPTS_MAX = 3;
/** A check that was begun again this often and never ended took the whole process with it each time. */
const UNFINISHED_MAX = 4;
/** How often a checker that is down is asked whether it is back. */
const READY_POLL_MS = 500;

export interface CheckParts {
  readonly db: Database;
  readonly vault: AccessVault;
  readonly engine: CheckEngine;
  readonly hosts: HostLimits;
}

/**
 * Runs a check to its outcome, and again after faults that may pass.
 * @returns null when the process stops before there is an outcome
 */
export async function runCheck(
  parts: CheckParts,
  check: ClaimedCheck,
  signal: AbortSignal,
): Promise<CheckResult['outcome'] | null> {
  const { db, engine } = parts;
  if (check.attempts > 1) {
    const begun = await noteBegin(db, engine.kind, check).catch(() => 0);
    if (begun > UNFINISHED_MAX) return { error: `The check of this page was begun ${begun} times and never ended` };
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await examine(parts, check, signal);
    } catch (error) {
      if (signal.aborted) return null;
      const isPermanent = error instanceof CheckFailure && error.permanent;
      if (isPermanent || attempt === ATTEMPTS_MAX) return { error: messageOf(error) };
      await respectRest(db, check.reportId, error);
    }
    await untilReady(engine, signal);
  }
}

/** A site that asked to be left alone gets no request for a document until then. */
async function respectRest(db: Database, reportId: string, error: unknown): Promise<void> {
  const restMs = error instanceof CheckFailure ? error.restMs : null;
  if (restMs !== null) await deferRequests(db, reportId, restMs).catch(() => undefined);
}

/** A checker that is down says nothing about the page: another attempt while it is would only use them up. */
async function untilReady(engine: CheckEngine, signal: AbortSignal): Promise<void> {
  while (!(await engine.isReady()) && !signal.aborted) {
    await delay(READY_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function examine(parts: CheckParts, check: ClaimedCheck, signal: AbortSignal): Promise<CheckOutcome> {
  const { engine } = parts;
  const { url, httpStatus, contentType, headers, reportId, storesRaw } = check;
  const document = { url, httpStatus, contentType, headers, body: await unpackDocument(check.compressedBody) };
  const input = { document, viewport: DEFAULT_DEVICE.viewport, cacheGroup: reportId, keepsRaw: storesRaw };
  const raw = engine.showsPages ? await collectShown(parts, check, input, signal) : await engine.collect(input, signal);
  const issues = engine.interpret(raw, url);
  const kept = storesRaw ? engine.rawCheck(raw) : null;
  return kept === null ? { issues } : { issues, raw: await packRawCheck(kept) };
}

/** The same of a page that is shown: on the report's device, signed in to its site. */
async function collectShown(
  parts: CheckParts,
  check: ClaimedCheck,
  document: CheckInput,
  signal: AbortSignal,
): Promise<unknown> {
  const { engine, vault } = parts;
  const input = { ...document, viewport: viewportOf(check), signIn: signInOf(check, vault) };
  // The default device is shown the document that the spider was answered.
  if (input.viewport.userAgent === null) return engine.collect(input, signal);
  const request = createBrowserRequest(parts, check, signal);
  try {
    return await engine.collect({ ...input, requestTurn: request.turn }, signal);
  } finally {
    request.over();
  }
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
