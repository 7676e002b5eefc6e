import { limiterClock } from '../spider/slot-queue.ts';
import type { Database } from '../store/database.ts';
import { beginLease, endLease, removeEndedLeases, renewLease } from '../store/host-shares.ts';

/** How long this process holds its shares without saying that it lives. One that is killed keeps them no longer. */
const LEASE_MS = 1_500;

/** What this process holds its shares in hosts under. */
export interface Lease {
  readonly id: number;
  /** By the limiters' clock: earlier than by the database's. */
  until: number;
}

export interface HostLease {
  /** Null when there is none, or it was lost. */
  current(): Lease | null;
  /** The current one, else a new one. */
  ensure(): Promise<Lease>;
  /**
   * Says that this process lives, and frees the shares of those that do not say so any more.
   * @returns hosts at which more is wanted than may be; null when there was no lease, or it was lost
   */
  renew(): Promise<readonly string[] | null>;
  end(): Promise<void>;
}

export function createHostLease(db: Database, requestsPerSecond: number): HostLease {
  let lease: Lease | null = null;
  let beginning: Promise<Lease> | null = null;

  const begin = async (): Promise<Lease> => {
    const askedAt = limiterClock.now();
    const begun = { id: await beginLease(db, LEASE_MS), until: askedAt + LEASE_MS };
    lease = begun;
    return begun;
  };

  return {
    current: () => lease,
    async ensure() {
      if (lease !== null) return lease;
      beginning ??= begin().finally(() => {
        beginning = null;
      });
      return beginning;
    },
    async renew() {
      await removeEndedLeases(db);
      const renewed = lease;
      if (renewed === null) return null;
      const askedAt = limiterClock.now();
      const contended = await renewLease(db, renewed.id, { leaseMs: LEASE_MS, requestsPerSecond });
      if (contended === null) lease = null;
      else renewed.until = askedAt + LEASE_MS;
      return contended;
    },
    async end() {
      const ended = lease;
      lease = null;
      if (ended !== null) await endLease(db, ended.id);
    },
  };
}
