import type { StepAside } from '../browser/page-permit.ts';
import type { CheckEngine, EngineBasis } from '../checks/check-engine.ts';
import type { Viewport } from '../domain/check.ts';
import { areSameResources, type LoadedResource } from '../domain/loaded-resource.ts';
import { isNoPageAccess, type SiteAccess } from '../domain/site-access.ts';
import { VERSION } from '../platform/version.ts';
import type { ClaimedCheck } from '../queue/claims.ts';
import type { Executor } from '../store/database.ts';
import type { CheckOutcome } from '../store/pages/check-outcome.ts';
import {
  type EarlierCheck,
  earlierChecks,
  earlierFindings,
  earlierResources,
  earlierResult,
} from '../store/pages/earlier-results.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { consentFor } from './consent-for.ts';
import { hasSameOccurrences } from './repeat-check.ts';
import { shownHeaders } from './shown-headers.ts';

/** How long a result of a page with scripts is reused: scripts can know the date. */
const scriptedMaxMs = 7 * 86_400_000;

/** What is known about the result of a check before it runs. */
export interface ExpectedResult {
  readonly key: string;
  readonly basis: EngineBasis;
  /** Whether results of the page have differed although nothing had changed. */
  readonly varies: boolean;
  /** The latest check of an earlier report with the same key; null if there is none. */
  readonly known: EarlierCheck | null;
}

interface ReuseParts {
  readonly db: Executor;
  readonly engine: CheckEngine;
  readonly credentialStore: CredentialStore;
}

/** How a check is about to run. */
interface ReuseMeans {
  readonly viewport: Viewport;
  /** Called around requests to the site, during which other checks may run. */
  readonly stepAside: StepAside;
  /** Aborts these requests. */
  readonly signal: AbortSignal;
}

interface CheckedAs {
  readonly access: SiteAccess;
  readonly viewport: Viewport;
}

/**
 * Looks for an earlier check that depended on exactly the same data as a check that is about to run (decision 0139).
 * @returns null if not everything that the result depends on is known
 */
export async function expectResult(
  { db, engine, credentialStore }: ReuseParts,
  check: ClaimedCheck,
  as: CheckedAs,
): Promise<ExpectedResult | null> {
  // The selectors of mutings have split the stored issues, but the issues do not show which selectors match which parts.
  if (check.mutedSelectors.length > 0) return null;
  // The resources of a page may depend on who is signed in.
  if (engine.showsPages && !isNoPageAccess(as.access)) return null;
  const basis = (await engine.basis?.().catch(() => null)) ?? null;
  if (basis === null) return null;
  const key = credentialStore.box.sign(await keyOf(engine, check, { ...as, basis })).toString('hex');
  const { reportId, url, mayHaveEarlier } = check;
  const wanted = { reportId, url, key, engineVersion: basis.engineVersion };
  const earlier = mayHaveEarlier ? await earlierChecks(db, engine.kind, wanted) : [];
  const varies = earlier.some((each) => each.varies);
  const known = earlier.find(({ isKnown, hasRaw }) => isKnown && (hasRaw || !check.storesRaw)) ?? null;
  return { key, basis, varies, known };
}

/** To be signed, not just hashed: from a hash that others can compute, they could guess the credentials of a site. */
async function keyOf(
  engine: CheckEngine,
  check: ClaimedCheck,
  of: CheckedAs & { readonly basis: EngineBasis },
): Promise<string> {
  const { accountId, url, documentHash, httpStatus, contentType, waitFor, standard, exploresStates } = check;
  const settings = [waitFor, standard, exploresStates, consentFor(check)];
  const shown = engine.showsPages ? [of.viewport, await shownHeaders(check), ...settings] : null;
  const document = [url, documentHash.toString('hex'), httpStatus, contentType];
  return `result of a check\n${JSON.stringify([VERSION, engine.kind, of.basis, accountId, document, of.access, shown])}`;
}

/** Returns what a page loads, if that is the same as in an earlier check, or if the result does not depend on it; else null. */
async function presentResources(
  { db, engine }: ReuseParts,
  { url, reportId, payerId, rateLimit }: ClaimedCheck,
  known: { readonly webPageId: number; readonly key: string },
  { viewport, stepAside, signal }: ReuseMeans,
): Promise<{ readonly resources: readonly LoadedResource[] | null } | null> {
  if (!engine.showsPages) return { resources: null };
  const { presentResources: request } = engine;
  if (request === undefined) return null;
  const resources = await earlierResources(db, engine.kind, known);
  if (resources === null) return null;
  const use = { url, viewport, cacheGroup: reportId, payerId, requestsPerSecond: rateLimit };
  const present = await stepAside(() => request(resources, use, signal));
  return present && { resources: present };
}

/** Returns the earlier result that a check has without running; null if it has to run. */
export async function reusedResult(
  parts: ReuseParts,
  check: ClaimedCheck,
  expected: ExpectedResult | null,
  means: ReuseMeans,
): Promise<CheckOutcome | null> {
  const { db, engine } = parts;
  if (expected === null || !check.mayReuse || expected.varies) return null;
  const { key, known } = expected;
  if (known === null || !known.isConfirmed) return null;
  if (engine.showsPages && check.storesScreenshots) return null;
  if (known.isScripted && Date.now() - known.foundAt.getTime() > scriptedMaxMs) return null;
  const { webPageId, isScripted } = known;
  // Last, because it sends requests to the site.
  const present = await presentResources(parts, check, { webPageId, key }, means);
  if (present === null) return null;
  const result = await earlierResult(db, engine.kind, { webPageId, key, needsRaw: check.storesRaw });
  const { resources } = present;
  // The validators of the resources may have changed.
  return result && resources !== null ? { ...result, loaded: { resources, isScripted } } : result;
}

/** Adds the data that later checks of the page need to reuse it to the result of a check that has run. */
export async function reusable(
  { db, engine }: ReuseParts,
  outcome: CheckOutcome,
  expected: ExpectedResult | null,
): Promise<CheckOutcome> {
  // Without a key, nothing reads what the page loaded. The URLs and headers may hold site credentials.
  if (expected === null) return { ...outcome, loaded: null };
  const { key, basis, known } = expected;
  const earlier = known && (await earlierFindings(db, engine.kind, { webPageId: known.webPageId, key }));
  const isComparable = earlier !== null && (!engine.showsPages || hasLoadedSame(earlier.resources, outcome));
  const isEqual = isComparable ? hasSameOccurrences(outcome, earlier.occurrences) : null;
  const varies = expected.varies || outcome.varies === true || isEqual === false;
  // The engine may have been replaced since then.
  const isAsExpected = outcome.engineVersion === basis.engineVersion;
  const isUnconfirmed = (outcome.isUnconfirmed === true || outcome.loaded?.isScripted === true) && isEqual !== true;
  return { ...outcome, varies, isUnconfirmed, reuseKey: isAsExpected && !varies ? key : null };
}

/** Whether a check is known to have loaded the same resources as an earlier check. */
function hasLoadedSame(earlier: readonly LoadedResource[] | null, { loaded }: CheckOutcome): boolean {
  return earlier !== null && loaded != null && areSameResources(earlier, loaded.resources);
}
