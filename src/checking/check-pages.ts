import { setTimeout as delay } from 'node:timers/promises';
import { viewportOf } from '../browser/devices.ts';
import type { StepAside } from '../browser/page-permit.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { DEFAULT_VIEWPORT, type Viewport } from '../domain/check.ts';
import { CheckFault } from '../domain/check-fault.ts';
import { redacted } from '../domain/redaction.ts';
import type { Screenshot, Thumbnail } from '../domain/screenshot.ts';
import { COMPARED_OCCURRENCES_MAX } from '../issues/diff-pages.ts';
import type { ReportSessions } from '../logins/report-sessions.ts';
import { isTransient, waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { unpackDocument } from '../platform/packed-document.ts';
import { createCheckClaims } from '../queue/check-claims.ts';
import { type ClaimedCheck, lostChecks, type ReleaseReason, recordStart, releaseCheck } from '../queue/claims.ts';
import { type RunMeans, startConsumer } from '../queue/consumer.ts';
import type { Worker } from '../queue/worker.ts';
import type { Database } from '../store/database.ts';
import type { CheckOutcome, CheckResult } from '../store/pages/check-outcome.ts';
import { saveCheckResults } from '../store/pages/check-results.ts';
import { resultBefore } from '../store/pages/result-before.ts';
import { failUnsavableCheck } from '../store/pages/unsavable-checks.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { announceWork } from '../store/work-topics.ts';
import { createAsideLimit } from './aside-limit.ts';
import { afterFault, afterIncomplete, type CheckRetries, FIRST_ATTEMPT, faultOf } from './check-retries.ts';
import { type CheckedSite, openSite } from './check-site.ts';
import { consentFor } from './consent-for.ts';
import type { Interpreter } from './interpreter.ts';
import { failureOf, maskedFault } from './masked-fault.ts';
import { repeatedIfChanged } from './repeat-check.ts';
import { createResultSaver } from './result-saver.ts';
import { type ExpectedResult, expectResult, reusable, reusedResult } from './reuse-result.ts';

/** Checks claimed ahead for each running check, so that the engine does not wait for the database. */
const CLAIMED_AHEAD = 4;
/** More checks are claimed when this many are left. */
const CLAIMED_AHEAD_MIN = 2;
/**
 * Checks that wait for the files of their pages without counting as running, for each running check. They may all continue at
 * once, with their documents in memory.
 */
const PROBING_AHEAD = 2;
/** Unsaved results above which the engine pauses. */
const UNSAVED_MAX = 64;
/**
 * Attempts to save a result that the database rejects with a permanent error, before its check fails. More than one, because not
 * every temporary error is recognized.
 */
const REFUSALS_MAX = 3;
const REFUSAL_REST_MS = 1_000;

export interface CheckingParts extends CheckParts {
  readonly worker: Worker;
  /** Called when a check has ended. */
  readonly onCheck?: (kind: string, outcome: 'checked' | 'failed' | 'reused', ms: number) => void;
  /** See `createResultSaver`. */
  readonly busyAttempts?: number;
}

/** Runs the pending checks of an engine, until stopped. */
export function startChecking(parts: CheckingParts): { stop(): Promise<void> } {
  const { db, worker, engine, log } = parts;

  /** Other processes can continue with the checks that this one has released. */
  const announce = (): Promise<void> => announceWork(db, [engine.kind]).catch(() => undefined);

  /**
   * Releases a check, and waits for the database as long as it takes. At shutdown, the loss of this worker's lock releases it.
   */
  const giveBack: GiveBack = (check, reason, signal) => {
    const failure = 'Could not release a check';
    return waitOut(() => releaseCheck(db, engine.kind, check, reason), { signal, log, failure }).then(
      () => (signal.aborted ? undefined : announce()),
      (error: unknown) => log.warn({ reason: messageOf(error), url: check.url }, failure),
    );
  };

  const underWay = createUnderWay();
  const save = createOutcomeSaver(parts, giveBack, (reportId) => underWay.has(reportId));
  const claimFree = createCheckClaims(db, engine.kind);
  const claim = async (limit: number, except: readonly string[]): Promise<ClaimedCheck[]> => {
    const checks = await claimFree(worker.id(), limit, except);
    for (const { reportId } of checks) underWay.add(reportId);
    return checks;
  };

  // A check that waits for other sites' servers takes up to 10 minutes, so another process may be free for it sooner.
  const claimedAhead =
    engine.waitsForOthers === true ? { least: 0, most: 0 } : { least: CLAIMED_AHEAD_MIN, most: CLAIMED_AHEAD };
  const limitAside = createAsideLimit(engine.concurrency * PROBING_AHEAD);
  const saving = new Set<Promise<void>>();
  const consumer = startConsumer<ClaimedCheck>(parts, {
    topic: engine.kind,
    concurrency: engine.concurrency,
    batch: engine.concurrency * (claimedAhead.most + 1),
    ahead: engine.concurrency * claimedAhead.least,
    claim,
    lostOf: (checks) => lostChecks(db, engine.kind, checks),
    ...(engine.waitsForOthers === true && { ownerOf: ({ payerId }: ClaimedCheck) => payerId }),
    async run(check, { signal: stopping, lost, stepAside }) {
      const { reportId } = check;
      // Results under a lost claim are not saved: the next claimant repeats the check.
      const signal = AbortSignal.any([stopping, lost]);
      const probing = { signal: AbortSignal.any([signal, underWay.endOf(reportId)]), stepAside: limitAside(stepAside) };
      const begunAt = performance.now();
      const outcome = await runCheck(parts, check, { signal, stepAside, probing }).catch((error) =>
        signal.aborted ? null : failUnexpectedly(parts, check, error),
      );
      underWay.remove(reportId);
      if (outcome === null) return giveBack(check, 'interrupted', stopping);
      if ('isSuspected' in outcome) {
        consumer.pause((end) => untilReady(engine, end));
        return giveBack(check, outcome.isSuspected ? 'suspected' : 'interrupted', stopping);
      }
      parts.onCheck?.(engine.kind, outcomeName(outcome), performance.now() - begunAt);
      const saved = save(check, outcome, stopping).finally(() => saving.delete(saved));
      saving.add(saved);
      // The engine continues with the next page, unless the database falls behind.
      if (saving.size > UNSAVED_MAX) await saved;
    },
    giveBack(check, stopping) {
      underWay.remove(check.reportId);
      return giveBack(check, 'unstarted', stopping);
    },
  });

  return {
    async stop() {
      await consumer.stop();
      await Promise.all(saving);
      await announce();
    },
  };
}

/** The claimed checks without an outcome, by report. */
function createUnderWay() {
  const reports = new Map<string, { count: number; readonly end: AbortController }>();
  return {
    has: (reportId: string): boolean => reports.has(reportId),
    add(reportId: string): void {
      const report = reports.get(reportId);
      if (report === undefined) reports.set(reportId, { count: 1, end: new AbortController() });
      else report.count += 1;
    },
    /**
     * Returns a signal that aborts when the report has no checks left, because all have ended or the report was stopped or
     * deleted.
     */
    endOf: (reportId: string): AbortSignal => reports.get(reportId)?.end.signal ?? AbortSignal.abort(),
    remove(reportId: string): void {
      const report = reports.get(reportId);
      if (report === undefined) return;
      report.count -= 1;
      if (report.count > 0) return;
      reports.delete(reportId);
      report.end.abort();
    },
  };
}

function outcomeName(outcome: CheckResult['outcome']): 'checked' | 'failed' | 'reused' {
  if ('error' in outcome) return 'failed';
  return outcome.reusedFrom === undefined ? 'checked' : 'reused';
}

interface CheckMeans extends Pick<RunMeans, 'stepAside'> {
  /** Aborts when the process stops or the claim is lost. */
  readonly signal: AbortSignal;
  /**
   * For requests that find out whether an earlier result can be reused. They continue after the check, for other pages, until the
   * signal aborts.
   */
  readonly probing: { readonly stepAside: StepAside; readonly signal: AbortSignal };
}

type GiveBack = (check: ClaimedCheck, reason: ReleaseReason, signal: AbortSignal) => Promise<void>;

/**
 * Returns a function that saves the outcome of a check, and waits for the database as long as it takes. If the outcome is
 * rejected permanently, the check fails. The function never rejects.
 */
function createOutcomeSaver(
  { db, engine: { kind }, log, busyAttempts }: CheckingParts,
  giveBack: GiveBack,
  isMoreExpected: (reportId: string) => boolean,
) {
  const saveResult = createResultSaver<CheckResult>(
    (reportId, results, options) => saveCheckResults(db, reportId, kind, results, options),
    isMoreExpected,
    busyAttempts,
  );
  return async (check: ClaimedCheck, outcome: CheckResult['outcome'], signal: AbortSignal): Promise<void> => {
    const { webPageId, claimId, reportId, url } = check;
    const failure = 'Could not save a check';
    const onRefusal = (error: unknown): void => log.error({ err: error, url, kind }, failure);
    for (let refusals = 0; refusals < REFUSALS_MAX; refusals += 1) {
      try {
        const result = { webPageId, claimId, outcome };
        return await waitOut(() => saveResult(reportId, result), { signal, log, failure });
      } catch (error) {
        if (!isTransient(error)) onRefusal(error);
        if (signal.aborted) return giveBack(check, 'interrupted', signal);
      }
      await delay(REFUSAL_REST_MS, undefined, { signal }).catch(() => undefined);
    }
    const unsaved = { code: 'check_not_saved', params: {} } as const;
    // If even this is rejected, the check stays claimed until this process ends.
    await waitOut(() => failUnsavableCheck(db, kind, check, unsaved), { signal, log, failure }).catch(onRefusal);
  };
}

/** An unexpected error is not the page's fault, and would most likely occur again. */
function failUnexpectedly(
  { engine, log }: CheckingParts,
  { url }: ClaimedCheck,
  error: unknown,
): CheckResult['outcome'] {
  log.error({ err: error, url, kind: engine.kind }, 'A check failed unexpectedly');
  return { error: { code: 'check_broke_off', params: {} } };
}

/** A check that has begun this many times without ending has most likely killed its process each time. */
export const UNFINISHED_MAX = 4;
/** The interval at which an engine that is down is polled. */
const READY_POLL_MS = 500;

interface CheckParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly sessions: ReportSessions;
  readonly engine: CheckEngine;
  readonly log: Logger;
  readonly interpreter: Interpreter;
}

/** The check must be released, because only another process may be able to check the page. */
interface EngineBroken {
  /** Whether the check may have broken the engine. */
  readonly isSuspected: boolean;
}

/**
 * Runs a check, and repeats it after temporary faults.
 * @returns its outcome; null if the check must be released, because the process stops or the claim is lost
 * @throws permanent database errors, and any error when aborted
 */
async function runCheck(
  parts: CheckParts,
  check: ClaimedCheck,
  { probing, ...means }: CheckMeans,
): Promise<CheckResult['outcome'] | EngineBroken | null> {
  const { signal } = means;
  const { db, engine, log } = parts;
  // The claim may have been lost while the check waited.
  if (signal.aborted) return null;
  const isBroken = () => engine.isBroken?.() ?? false;
  let retries = FIRST_ATTEMPT;
  if (check.attempts > 1) {
    // An outage that this process has not noticed yet says nothing about the page.
    if (!(await untilReady(engine, signal, isBroken))) return { isSuspected: false };
    const failure = 'Could not record the start of a check';
    const begun = await waitOut(() => recordStart(db, engine.kind, check), { signal, log, failure });
    if (begun === null) return null;
    if (begun > UNFINISHED_MAX) return { error: { code: 'check_never_ended', params: { times: begun } } };
    // If it ran alongside other pages, a failure would not show which of them is to blame.
    retries = { ...FIRST_ATTEMPT, alone: begun > 1 };
  }
  const site = openSite(parts, check);
  if ('error' in site) return site;
  const reuse = await readEarlierResult(parts, check, { site, signal, probing });
  if (reuse.result !== null) return reuse.result;
  for (let isSuspected = false; ; ) {
    const ended = await attempt(parts, check, { site, expected: reuse.expected, retries, probing, ...means });
    if ('outcome' in ended) return ended.outcome;
    retries = ended.retries;
    isSuspected ||= ended.isSuspected;
    if (!(await untilReady(engine, signal, isBroken))) return { isSuspected };
  }
}

interface AttemptMeans extends CheckMeans {
  readonly site: CheckedSite;
  readonly expected: ExpectedResult | null;
  readonly retries: CheckRetries;
}

/**
 * Runs a check once.
 * @returns its outcome as in `runCheck`, or the history for the next attempt, and whether it may have broken the engine
 */
async function attempt(
  parts: CheckParts,
  check: ClaimedCheck,
  { expected, ...means }: AttemptMeans,
): Promise<{ readonly outcome: CheckResult['outcome'] | null } | (EngineBroken & { readonly retries: CheckRetries })> {
  const { site, retries, signal } = means;
  try {
    const outcome = await repeatedIfChanged(
      () => examineSignedIn(parts, check, means),
      () => readResultBefore(parts, check, signal),
    );
    const next = afterIncomplete(outcome, retries);
    if (next !== null) return { retries: next, isSuspected: false };
    const failure = 'Could not compare the result with an earlier one';
    return { outcome: await waitOut(() => reusable(parts, outcome, expected), { signal, log: parts.log, failure }) };
  } catch (error) {
    if (signal.aborted) return { outcome: null };
    const next = afterFault(error, retries);
    if (next === null) return { outcome: { error: redacted(failureOf(error), site.redaction()) } };
    return { retries: next, isSuspected: faultOf(error).blame === 'anybody' };
  }
}

function examineSignedIn(
  parts: CheckParts,
  check: ClaimedCheck,
  { site, probing, ...means }: Omit<AttemptMeans, 'expected'>,
): Promise<CheckOutcome> {
  return site.signedIn(
    (signedIn) =>
      examine(parts, check, signedIn, means).catch((error: unknown) => {
        throw maskedFault(error, signedIn.redaction());
      }),
    { signal: means.signal, stepAside: probing.stepAside },
  );
}

async function readResultBefore(
  { db, engine, log }: CheckParts,
  { webPageId, mayHaveEarlier }: ClaimedCheck,
  signal: AbortSignal,
) {
  if (!mayHaveEarlier) return null;
  const failure = 'Could not read the previous result';
  return waitOut(() => resultBefore(db, engine.kind, webPageId, COMPARED_OCCURRENCES_MAX), { signal, log, failure });
}

async function readEarlierResult(
  parts: CheckParts,
  check: ClaimedCheck,
  { site: { access }, signal, probing }: Omit<CheckMeans, 'stepAside'> & { readonly site: CheckedSite },
): Promise<{ readonly expected: ExpectedResult | null; readonly result: CheckOutcome | null }> {
  const viewport = viewportOf(check.deviceId, check.deviceRotated);
  if (viewport === undefined || check.collected !== null) return { expected: null, result: null };
  const find = async () => {
    const expected = await expectResult(parts, check, { access, viewport });
    return { expected, result: await reusedResult(parts, check, expected, { viewport, ...probing }) };
  };
  return waitOut(find, { signal, log: parts.log, failure: 'Could not look for an earlier result' });
}

/**
 * Waits until the engine is ready: while it is down, a retry would reveal nothing about the page.
 * @returns false if it gave up
 */
async function untilReady(engine: CheckEngine, signal: AbortSignal, givesUp = () => false): Promise<boolean> {
  while (!(await engine.isReady().catch(() => false)) && !signal.aborted) {
    if (givesUp()) return false;
    await delay(READY_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return true;
}

async function examine(
  parts: CheckParts,
  check: ClaimedCheck,
  site: CheckedSite,
  { retries, ...means }: Omit<CheckMeans, 'probing'> & { readonly retries: CheckRetries },
): Promise<CheckOutcome> {
  const { engine, interpreter } = parts;
  const {
    url,
    documentUrl,
    collected,
    httpStatus,
    contentType,
    headers,
    reportId,
    waitFor,
    standard,
    storesRaw,
    rateLimit,
    exclusions,
  } = check;
  const { payerId, storesScreenshots, isStartPage, mutedSelectors, exploresStates } = check;
  const { signIn, access, ofSession } = site;
  const viewport = viewportFor(engine, check);
  const document = {
    url: documentUrl,
    httpStatus,
    contentType,
    headers,
    body: await unpackDocument(check.compressedBody),
  };
  const { alone } = retries;
  const input = {
    ...{ document, viewport, cacheGroup: reportId, signIn, waitFor, standard, keepsRaw: storesRaw, alone },
    ...{ payerId, requestsPerSecond: rateLimit, exclusions, exploresStates, consent: consentFor(check) },
  };
  let screenshot: Screenshot | null = null;
  const keepScreenshot = storesScreenshots
    ? (taken: Screenshot): void => {
        screenshot = taken;
      }
    : undefined;
  let thumbnail: Thumbnail | null = null;
  const keepThumbnail = isStartPage
    ? (taken: Thumbnail): void => {
        thumbnail = taken;
      }
    : undefined;
  const images = { keepScreenshot, keepThumbnail };
  const answer = await (collected === null
    ? engine.collect({ ...input, ...images, stepAside: means.stepAside }, means.signal)
    : unpackDocument(collected));
  const answered = { kind: engine.kind, answer, url, document, access, ofSession, storesRaw, mutedSelectors };
  const outcome = await interpreter.interpret(answered);
  const ofSite = site.notes();
  const notes = [...(outcome.notes ?? []), ...(ofSite.length > 0 ? redacted(ofSite, site.redaction()) : [])];
  return { ...outcome, notes, screenshot, thumbnail };
}

/** Engines that only send requests use the default for a device that no longer exists, as crawls do. */
function viewportFor({ showsPages }: CheckEngine, { deviceId, deviceRotated }: ClaimedCheck): Viewport {
  const viewport = viewportOf(deviceId, deviceRotated);
  if (viewport !== undefined) return viewport;
  if (!showsPages) return DEFAULT_VIEWPORT;
  throw new CheckFault({ code: 'device_unknown', params: {} }, { permanent: true });
}
