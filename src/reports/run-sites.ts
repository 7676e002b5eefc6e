import type { PlanLimits } from '../accounts/plans.ts';
import { AppError, type ErrorCode } from '../platform/errors.ts';
import { type Executor, inSavepoint, inTransaction } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { runSite } from './save-site.ts';

/** What became of the sites: each is in one of the lists. */
export interface SiteRuns {
  readonly started: readonly { readonly siteId: string; readonly reportId: string }[];
  readonly refused: readonly { readonly siteId: string; readonly code: ErrorCode; readonly message: string }[];
}

/** Refusals that the next site would get, too. */
const LASTING: readonly ErrorCode[] = ['credits_exhausted', 'too_many_reports'];

/**
 * Creates a report for each site, in the given order. A site that is refused, for example because a report of it has not ended,
 * does not prevent the others.
 * @param limits of the plan
 * @throws AppError credits_exhausted, TooManyReports if no report could be created because of it
 */
export async function runSites(
  { db, credentialStore }: { readonly db: Executor; readonly credentialStore: CredentialStore },
  siteIds: readonly string[],
  limits: PlanLimits,
): Promise<SiteRuns> {
  const started: SiteRuns['started'][number][] = [];
  const refused: SiteRuns['refused'][number][] = [];
  let lasting: AppError | null = null;
  for (const siteId of siteIds) {
    try {
      if (lasting !== null) throw lasting;
      const reportId = await inTransaction(db, (trx) =>
        inSavepoint(trx, () => runSite({ db: trx, credentialStore }, siteId, limits, { whileRunning: false })),
      );
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
