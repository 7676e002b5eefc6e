import type { Transaction } from 'kysely';
import type { PlanLimits } from '../accounts/plans.ts';
import { AppError, type ErrorCode } from '../platform/errors.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import type { SelectedSite } from '../store/reports/selected-sites.ts';
import type { Schema } from '../store/schema.ts';
import { runSite } from './save-site.ts';

/** The result for the sites: each is in one of the lists. */
export interface SiteRuns {
  readonly started: readonly { readonly siteId: string; readonly reportId: string }[];
  readonly refused: readonly { readonly siteId: string; readonly code: ErrorCode; readonly message: string }[];
}

/** Refusals that the next site would get, too. */
const LASTING: readonly ErrorCode[] = ['credits_exhausted', 'paused', 'too_many_reports'];

interface RunParts {
  readonly credentialStore: CredentialStore;
  /** Runs work in a transaction, unless an interrupted request has already done so, and returns what the work returned. */
  once(part: string, work: (trx: Transaction<Schema>) => Promise<string>): Promise<string>;
}

/**
 * Creates a report for each site, in the given order and each in a transaction of its own. A site that is refused, for example
 * because a report of it has not ended, does not affect the others.
 * @param limits of the plan
 * @throws AppError credits_exhausted, TooManyReports if no report could be created because of it
 */
export async function runSites(
  { credentialStore, once }: RunParts,
  sites: readonly Pick<SelectedSite, 'id' | 'archived_at'>[],
  limits: PlanLimits,
): Promise<SiteRuns> {
  const started: SiteRuns['started'][number][] = [];
  const refused: SiteRuns['refused'][number][] = [];
  let lasting: AppError | null = null;
  for (const { id: siteId, archived_at: archivedAt } of sites) {
    try {
      const reportId = await once(siteId, async (db) => {
        if (lasting !== null) throw lasting;
        if (archivedAt !== null) throw new AppError('conflict', 'This site is archived. Restore it to run it.');
        return runSite({ db, credentialStore }, siteId, limits, { whileRunning: false });
      });
      started.push({ siteId, reportId });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (LASTING.includes(error.code)) lasting = error;
      refused.push({ siteId, code: error.code, message: error.message });
    }
  }
  if (lasting !== null && started.length === 0) throw lasting;
  return { started, refused };
}
