import { hostOf } from '../domain/host-name.ts';
import { waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { createSerialQueue } from '../platform/serial-queue.ts';
import type { ClaimedCrawl } from '../queue/claims.ts';
import { claimAnotherHost, leaveHosts, releaseHost } from '../queue/host-claims.ts';
import type { SharedLimiters } from '../spider/rate-limiter.ts';
import { aftermathMs, type Slot } from '../spider/slot-queue.ts';
import type { Database } from '../store/database.ts';

/**
 * The hosts that this process crawls, each with one limit for all reports. No other process crawls them, but any may check links
 * to them.
 */
export interface CrawledHosts {
  /** Claims a crawl, and with it the hosts that it requests. */
  claim(claimCrawl: () => Promise<ClaimedCrawl | null>): Promise<HostedCrawl | null>;
  /** Stops waiting for a database that is unavailable. Call it before crawls are stopped: they may wait for claims. */
  stopWaiting(): void;
  /** Call it when no crawl is running anymore. Other processes can claim the hosts when this process ends. Never rejects. */
  close(): Promise<void>;
}

/** A claimed crawl, whose hosts belong to this process until the crawl leaves them. */
export interface HostedCrawl extends ClaimedCrawl {
  readonly hostUser: HostUser;
}

/** A crawl among the crawls that request the same hosts. */
export interface HostUser {
  /**
   * Waits for a slot at the host of a URL. Accounts take turns, and so do the crawls of each.
   * @throws the signal's reason when it aborts before a slot is free, and the reason of `displaced`; database errors
   */
  acquire(signal: AbortSignal | undefined, url: string): Promise<Slot>;
  /** Aborts with HostElsewhere when the crawl reaches a host that another process has claimed. */
  readonly displaced: AbortSignal;
  /** Call it when the crawl sends no more requests. */
  leave(): void;
}

/**
 * A crawl has reached a host that another process crawls. The crawl has to be given back, and waits until one process can have
 * all its hosts.
 */
export class HostElsewhere extends Error {
  override readonly name = 'HostElsewhere';
}

/** The delay before a host whose release failed is released again. */
const releaseRetryMs = 5_000;

interface Host {
  /** The worker that claimed the host last. */
  workerId: number;
  users: number;
  releaseTimer: NodeJS.Timeout | null;
}

export interface CrawledHostsParts {
  readonly db: Database;
  /** Their limits for hosts apply to all reports together; for crawls, they apply to all processes together. */
  readonly limiters: Pick<SharedLimiters, 'forHost'>;
  readonly log: Logger;
}

export function createCrawledHosts(parts: CrawledHostsParts): CrawledHosts {
  const { db, limiters, log } = parts;
  const closing = new AbortController();
  const held = createHeldHosts(parts, closing.signal);

  const enterAnother: EnterAnother = (crawl, name, ends) =>
    held.change(async () => {
      const signal = ends === undefined ? closing.signal : AbortSignal.any([closing.signal, ends]);
      const means = { signal, log, failure: 'Could not claim a host' };
      const restMs = await waitOut(() => claimAnotherHost(db, crawl, name), means);
      return restMs === null ? null : held.enter(name, crawl, restMs);
    });
  const stopWaiting = (): void => closing.abort(new Error('The process is stopping.'));

  return {
    claim: (claimCrawl) =>
      held.change(async () => {
        const crawl = await claimCrawl();
        return crawl === null ? null : { ...crawl, hostUser: joinHosts(crawl, held, enterAnother, limiters) };
      }),
    stopWaiting,
    async close() {
      stopWaiting();
      await held.close();
    },
  };
}

/** Returns the host if this process has claimed it or can claim it; else null. */
type EnterAnother = (crawl: ClaimedCrawl, name: string, ends: AbortSignal | undefined) => Promise<Host | null>;
type HeldHosts = ReturnType<typeof createHeldHosts>;

/** The hosts that this process has claimed. It gives up a host that has not been used for `aftermathMs`. */
function createHeldHosts({ db, limiters, log }: CrawledHostsParts, closing: AbortSignal) {
  const hosts = new Map<string, Host>();
  /** Changes the claimed hosts, one change after the other: no host is released while a claim relies on it. */
  const change = createSerialQueue();
  const release = async (name: string, host: Host): Promise<void> => {
    if (host.users > 0 || closing.aborted) return;
    const failure = 'Could not release a host';
    try {
      await waitOut(() => releaseHost(db, name, host.workerId), { signal: closing, log, failure });
      hosts.delete(name);
    } catch (error) {
      if (closing.aborted) return;
      log.warn({ reason: messageOf(error), host: name }, failure);
      releaseAfter(releaseRetryMs, name, host);
    }
  };
  const releaseAfter = (ms: number, name: string, host: Host): void => {
    host.releaseTimer = setTimeout(() => void change(() => release(name, host)), ms);
  };

  return {
    change,
    /** Records a user of a claimed host, whose requests may begin after `restMs`. */
    enter(name: string, { workerId, payerId }: ClaimedCrawl, restMs: number): Host {
      const host = hosts.get(name) ?? { workerId, users: 0, releaseTimer: null };
      hosts.set(name, host);
      host.workerId = workerId;
      host.users += 1;
      if (host.releaseTimer !== null) clearTimeout(host.releaseTimer);
      if (restMs > 0) limiters.forHost(name, payerId).rest(restMs);
      return host;
    },
    leave(name: string, host: Host): void {
      host.users -= 1;
      if (host.users > 0 || closing.aborted) return;
      // Until then, the last requests to the host still count.
      releaseAfter(aftermathMs, name, host);
    },
    async close(): Promise<void> {
      await change(() => leaveAll(db, log, [...hosts.values()]));
    },
  };
}

/** Makes a crawl a user of the hosts that were claimed with it, and of other hosts that it reaches. */
function joinHosts(
  crawl: ClaimedCrawl,
  held: HeldHosts,
  enterAnother: EnterAnother,
  limiters: CrawledHostsParts['limiters'],
): HostUser {
  const displacing = new AbortController();
  const own = new Map<string, Promise<Host>>();
  const lastSlots = new Map<Host, Promise<unknown>>();
  let hasLeft = false;

  const another = async (name: string, signal: AbortSignal | undefined): Promise<Host> => {
    const host = await enterAnother(crawl, name, signal);
    if (host === null) displacing.abort(new HostElsewhere(`${name} is crawled by another process.`));
    else if (hasLeft) held.leave(name, host);
    else return host;
    throw displacing.signal.reason ?? new Error('The crawl has ended.');
  };
  for (const name of crawl.hosts) own.set(name, Promise.resolve(held.enter(name, crawl, crawl.hostRestMs)));

  return {
    displaced: displacing.signal,
    async acquire(signal, url) {
      const name = hostOf(url);
      const entered = own.get(name) ?? another(name, signal);
      own.set(name, entered);
      const host = await entered.catch((error: unknown) => rethrow(error, signal));
      // One after the other, so that a crawl with many requests waits at one position in the queue, like all crawls.
      const slot = (lastSlots.get(host) ?? Promise.resolve()).then(() =>
        limiters.forHost(name, crawl.payerId).acquire(signal),
      );
      lastSlots.set(
        host,
        slot.catch(() => undefined),
      );
      return slot;
    },
    leave() {
      hasLeft = true;
      for (const [name, entered] of own) void entered.then((host) => held.leave(name, host)).catch(() => undefined);
    },
  };
}

async function leaveAll(db: Database, log: Logger, hosts: readonly Host[]): Promise<void> {
  for (const { releaseTimer } of hosts) if (releaseTimer !== null) clearTimeout(releaseTimer);
  for (const workerId of new Set(hosts.map((host) => host.workerId))) {
    await leaveHosts(db, workerId, aftermathMs).catch((error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'Could not release the hosts');
    });
  }
}

/** @throws the signal's reason if it has aborted, otherwise the error */
function rethrow(error: unknown, signal: AbortSignal | undefined): never {
  signal?.throwIfAborted();
  throw error;
}
