import type { CheckEngine, EngineBasis } from '../checks/check-engine.ts';
import type { Viewport } from '../domain/check.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { VERSION } from '../platform/version.ts';
import type { ClaimedCheck } from '../queue/claims.ts';
import type { Executor } from '../store/database.ts';
import type { CheckOutcome } from '../store/pages/check-results.ts';
import { type EarlierResults, earlierResults } from '../store/pages/earlier-results.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import type { RepeatedOutcome } from './repeat-check.ts';

/** What is known about the result of a check before it runs. */
export interface ExpectedResult extends EarlierResults {
  readonly key: string;
  readonly basis: EngineBasis;
}

interface ReuseParts {
  readonly db: Executor;
  readonly engine: CheckEngine;
  readonly credentialStore: CredentialStore;
}

/**
 * Looks for an earlier result of a check that depended on exactly the same (decision 0139).
 * @returns null if not everything that the result depends on is known
 */
export async function expectResult(
  { db, engine, credentialStore }: ReuseParts,
  check: ClaimedCheck,
  page: { readonly access: SiteAccess; readonly viewport: Viewport },
): Promise<ExpectedResult | null> {
  // The selectors of mutings have split the stored issues, which does not show which selectors match which parts.
  if (check.mutedSelectors.length > 0) return null;
  const basis = (await engine.basis?.().catch(() => null)) ?? null;
  if (basis === null) return null;
  const { accountId, url, documentHash, httpStatus, contentType, headers, reportId, storesRaw } = check;
  const shown = engine.showsPages ? [page.viewport, headers, check.waitFor, check.standard] : null;
  const parts = [
    ...[VERSION, engine.kind, basis, accountId, url],
    ...[documentHash.toString('hex'), httpStatus, contentType, page.access, shown],
  ];
  // The credentials of a site could be guessed from a hash that others can compute.
  const key = credentialStore.box.sign(`reused result\n${JSON.stringify(parts)}`).toString('hex');
  return { key, basis, ...(await earlierResults(db, engine.kind, { reportId, url, key, needsRaw: storesRaw })) };
}

/** Adds to the result of a check that has run what later checks of the page have to know to reuse it. */
export function reusable(outcome: RepeatedOutcome, expected: ExpectedResult | null): CheckOutcome {
  const { variation, ...result } = outcome;
  if (expected === null) return { ...result, varies: variation === 'between_runs' };
  const { key, basis, isKnown } = expected;
  const varies = expected.varies || variation === 'between_runs' || (variation === 'since_before' && isKnown);
  // The engine may have been replaced in the meantime.
  const isAsExpected = result.engineVersion === basis.engineVersion;
  return { ...result, varies, reuseKey: isAsExpected && !varies ? key : null };
}
