import { setTimeout as delay } from 'node:timers/promises';
import type { HostShares } from '../../domain/host-share.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { createHostLease } from './host-lease.ts';
import { hostOf } from './host-name.ts';
import { createSharedHost, type HostMember, type SharedHost } from './shared-host.ts';
import type { Slot } from './slot-queue.ts';

/** How often a process says that it lives, and looks whether others want some of its shares. */
const POLL_MS = 400;

/** The limit of requests to each host, over all reports and all processes of this database. */
export interface HostLimits {
  /** Something that requests pages for a report, as fast as `requestsPerSecond` at most. */
  join(reportId: string, requestsPerSecond: number): HostUser;
  /** Gives up all shares. */
  close(): Promise<void>;
}

export interface HostUser {
  /**
   * Waits for a slot at the host of a URL. Users take turns.
   * @throws the signal's reason when it aborts before the slot is there, an error when the user leaves before
   */
  acquire(signal: AbortSignal | undefined, url: string): Promise<Slot>;
  /** Wants nothing more. */
  leave(): void;
}

export interface HostLimitsParts {
  readonly shares: HostShares;
  /** What all reports and processes together may ask of one host. */
  readonly requestsPerSecond: number;
  readonly log: Logger;
}

/**
 * Each process holds a share of a host's slots in the database, and limits its requests in memory: nothing is written
 * for a request. See docs/decisions/0024-politeness.md.
 */
export function createHostLimits({ shares, requestsPerSecond, log }: HostLimitsParts): HostLimits {
  const hosts = new Map<string, SharedHost>();
  const lease = createHostLease(shares, requestsPerSecond);
  const closing = new AbortController();
  let polling: Promise<void> | null = null;

  const onError = (error: unknown): void => {
    log.warn({ reason: messageOf(error) }, 'Could not share hosts with other processes; will try again');
  };

  const poll = async (): Promise<void> => {
    const contended = await lease.renew();
    for (const [name, host] of hosts) {
      if (contended === null) host.lose();
      else host.prolong();
      if (host.isIdle()) hosts.delete(name);
      else if (!host.isSettled() || contended?.includes(name)) host.tell();
    }
  };
  /** Goes on while there are hosts; the lease ends with the last one. */
  const keepPolling = async (): Promise<void> => {
    while (hosts.size > 0 && !closing.signal.aborted) {
      await delay(POLL_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      if (!closing.signal.aborted) await poll().catch(onError);
    }
    await lease.end().catch(onError);
  };
  const startPolling = (): void => {
    polling ??= keepPolling().finally(() => {
      polling = null;
      if (hosts.size > 0 && !closing.signal.aborted) startPolling();
    });
  };

  const hostNamed = (name: string): SharedHost => {
    const host = hosts.get(name) ?? createSharedHost(name, { shares, lease, requestsPerSecond, onError });
    hosts.set(name, host);
    startPolling();
    return host;
  };

  return {
    join(reportId, rate) {
      const member: HostMember = { reportId, requestsPerSecond: rate };
      const turns = new Map<SharedHost, Promise<unknown>>();
      const left = new AbortController();
      return {
        async acquire(given, url) {
          const signal = given === undefined ? left.signal : AbortSignal.any([given, left.signal]);
          // A member that has left would be counted among those who want slots for good.
          signal.throwIfAborted();
          const host = hostNamed(hostOf(url));
          host.members.add(member);
          if (!host.isTold()) host.tell();
          // One after the other, so that a user with many requests waits in one place of the queue, as all do.
          const slot = (turns.get(host) ?? Promise.resolve()).then(() => host.acquire(signal));
          turns.set(
            host,
            slot.catch(() => undefined),
          );
          return slot;
        },
        leave() {
          left.abort(new Error('Nothing more was wanted of the host'));
          for (const host of turns.keys()) host.members.delete(member);
        },
      };
    },
    async close() {
      closing.abort();
      await Promise.all([...hosts.values()].map((host) => host.told()));
      await polling;
    },
  };
}
