import { isDeepStrictEqual } from 'node:util';
import type { CheckEngine, EngineBasis } from '../checks/check-engine.ts';
import type { Viewport } from '../domain/check.ts';
import { isNoAccess, type SiteAccess } from '../domain/site-access.ts';
import { VERSION } from '../platform/version.ts';
import type { ClaimedCheck } from '../queue/claims.ts';
import type { Executor } from '../store/database.ts';
import type { CheckOutcome } from '../store/pages/check-outcome.ts';
import { type EarlierCheck, earlierChecks, earlierResult } from '../store/pages/earlier-results.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { hasSameOccurrences } from './repeat-check.ts';

/** How long a result of a page with scripts is reused: scripts can know the date. */
const scriptedMaxMs = 7 * 86_400_000;

/** What is known about the result of a check before it runs. */
export interface ExpectedResult {
  readonly key: string;
  readonly basis: EngineBasis;
  /** Whether results of the page have differed although nothing had changed. */
  readonly varies: boolean;
  /** A check of an earlier report that depended on exactly the same; null if there is none. */
  readonly same: EarlierCheck | null;
}

interface ReuseParts {
  readonly db: Executor;
  readonly engine: CheckEngine;
  readonly credentialStore: CredentialStore;
}

interface CheckedAs {
  readonly access: SiteAccess;
  readonly viewport: Viewport;
}

/**
 * Looks for an earlier check that depended on exactly the same as a check that is about to run (decision 0139).
 * @returns null if not everything that the result depends on is known
 */
export async function expectResult(
  { db, engine, credentialStore }: ReuseParts,
  check: ClaimedCheck,
  as: CheckedAs,
): Promise<ExpectedResult | null> {
  // The selectors of mutings have split the stored issues, which does not show which selectors match which parts.
  if (check.mutedSelectors.length > 0) return null;
  // The resources of a page may depend on who is signed in.
  if (engine.showsPages && !isNoAccess(as.access)) return null;
  const basis = (await engine.basis?.().catch(() => null)) ?? null;
  if (basis === null) return null;
  const key = credentialStore.box.sign(keyOf(engine, check, { ...as, basis })).toString('hex');
  const { reportId, url } = check;
  const earlier = await earlierChecks(db, engine.kind, { reportId, url, key, engineVersion: basis.engineVersion });
  const varies = earlier.some((each) => each.varies);
  const known = earlier.find(({ isKnown, hasRaw }) => isKnown && (hasRaw || !check.storesRaw)) ?? null;
  const isSame = known !== null && (!engine.showsPages || (await hasSameResources(engine, check, known, as)));
  return { key, basis, varies, same: isSame ? known : null };
}

/** The credentials of a site could be guessed from a hash of this that others can compute. */
function keyOf(engine: CheckEngine, check: ClaimedCheck, of: CheckedAs & { readonly basis: EngineBasis }): string {
  const { accountId, url, documentHash, httpStatus, contentType, headers, waitFor, standard } = check;
  const shown = engine.showsPages ? [of.viewport, headers.filter(isKept), waitFor, standard] : null;
  const document = [url, documentHash.toString('hex'), httpStatus, contentType];
  return `reused result\n${JSON.stringify([VERSION, engine.kind, of.basis, accountId, document, of.access, shown])}`;
}

/** Headers that describe the transfer and the moment, and have no effect on what a page shows. */
const OF_THE_MOMENT =
  /^(?:date|age|expires|etag|server|via|vary|connection|keep-alive|transfer-encoding|content-length|accept-ranges|cache-control|alt-svc|x-cache|x-cache-hits|x-served-by|x-timer|x-request-id|cf-ray|cf-cache-status|nel|report-to)$/;

function isKept([name]: readonly [string, string]): boolean {
  return !OF_THE_MOMENT.test(name);
}

async function hasSameResources(
  engine: CheckEngine,
  { mayReuse, url, reportId, payerId, rateLimit }: ClaimedCheck,
  { resources }: EarlierCheck,
  { viewport }: CheckedAs,
): Promise<boolean> {
  if (!mayReuse || resources === null || engine.areUnchanged === undefined) return false;
  return engine.areUnchanged(resources, { url, viewport, cacheGroup: reportId, payerId, requestsPerSecond: rateLimit });
}

/** Returns the earlier result that a check has without running; null if it has to run. */
export async function reusedResult(
  { db, engine }: ReuseParts,
  check: ClaimedCheck,
  expected: ExpectedResult | null,
): Promise<CheckOutcome | null> {
  const same = expected?.same ?? null;
  if (expected === null || same === null || !check.mayReuse || expected.varies || !same.isConfirmed) return null;
  if (engine.showsPages && check.storesScreenshots) return null;
  if (same.isScripted && Date.now() - same.foundAt.getTime() > scriptedMaxMs) return null;
  const { webPageId } = same;
  return earlierResult(db, engine.kind, { webPageId, key: expected.key, needsRaw: check.storesRaw });
}

/** Adds to the result of a check that has run what later checks of the page have to know to reuse it. */
export async function reusable(
  { db, engine }: ReuseParts,
  outcome: CheckOutcome,
  expected: ExpectedResult | null,
): Promise<CheckOutcome> {
  if (expected === null) return outcome;
  const { key, basis, same } = expected;
  const { webPageId } = same ?? {};
  const earlier =
    webPageId === undefined ? null : await earlierResult(db, engine.kind, { webPageId, key, needsRaw: false });
  const loadedSame = isDeepStrictEqual(earlier?.loaded?.resources, outcome.loaded?.resources);
  const isEqual = earlier !== null && loadedSame ? hasSameOccurrences(earlier, outcome) : null;
  const varies = expected.varies || outcome.varies === true || isEqual === false;
  // The engine may have been replaced in the meantime.
  const isAsExpected = outcome.engineVersion === basis.engineVersion;
  const isUnconfirmed = outcome.loaded?.isScripted === true && isEqual !== true;
  return { ...outcome, varies, isUnconfirmed, reuseKey: isAsExpected && !varies ? key : null };
}
