import type { HostShares } from '../../domain/host-share.ts';
import { aftermathMs } from './open-slots.ts';
import { limiterClock } from './slot-queue.ts';

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

export function createHostLease(shares: HostShares, requestsPerSecond: number): HostLease {
  let lease: Lease | null = null;
  let beginning: Promise<Lease> | null = null;

  const begin = async (): Promise<Lease> => {
    const askedAt = limiterClock.now();
    const begun = { id: await shares.beginLease(LEASE_MS), until: askedAt + LEASE_MS };
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
      await shares.removeEndedLeases(aftermathMs);
      const renewed = lease;
      if (renewed === null) return null;
      const askedAt = limiterClock.now();
      const contended = await shares.renewLease(renewed.id, { leaseMs: LEASE_MS, requestsPerSecond });
      if (contended === null) lease = null;
      else renewed.until = askedAt + LEASE_MS;
      return contended;
    },
    async end() {
      const ended = lease;
      lease = null;
      if (ended !== null) await shares.endLease(ended.id);
    },
  };
}
