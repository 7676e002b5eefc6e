import type { CheckKind } from '../domain/check.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { type ClaimedCheck, claimChecks } from './claims.ts';

const DEFAULTS = {
  /** A search of all free checks that takes longer is not repeated for each claim. */
  slowSearchMs: 100,
  /** The pause after such a search, as a multiple of its time. */
  pauseFactor: 20,
};
const pauseMaxMs = 30_000;

/**
 * Returns a function that claims checks of one kind for one process, as `claimChecks`.
 *
 * A long snapshot of the database, such as a backup, keeps all checks that were claimed since it began in the index of free
 * checks, and a search from the start reads them all. So after a slow search, claims begin where checks are under way, for up to
 * `pauseMaxMs`: new reports, and accounts without checks under way, wait until then, or until such claims do not find enough.
 */
export function createCheckClaims(
  db: Executor,
  kind: CheckKind,
  options: Partial<typeof DEFAULTS> = {},
): (workerId: number, limit: number, except?: readonly string[]) => Promise<ClaimedCheck[]> {
  const { slowSearchMs, pauseFactor } = { ...DEFAULTS, ...options };
  let onwardUntil = 0;
  return (workerId, limit, except = []) =>
    inTransaction(db, async (trx) => {
      const isOnward = performance.now() < onwardUntil;
      const onward = isOnward ? await claimChecks(trx, kind, workerId, limit, except, 'onward') : [];
      if (onward.length === limit) return onward;
      const begunAt = performance.now();
      const others = await claimChecks(trx, kind, workerId, limit - onward.length, except);
      const ms = performance.now() - begunAt;
      const pauseMs = ms < slowSearchMs ? 0 : Math.min(ms * pauseFactor, pauseMaxMs);
      // If some accounts are left out, the search reads fewer checks, so its time does not count.
      if (except.length === 0) onwardUntil = performance.now() + pauseMs;
      return [...onward, ...others];
    });
}
