import { remembering } from '../platform/bounded-cache.ts';
import { fetchesInFlightMax, hostRequestsInFlightMax } from './limits.ts';
import {
  aftermathMs,
  createSlotQueue,
  type LimiterClock,
  limiterClock,
  type Slot,
  type SlotQueue,
  type SlotRules,
} from './slot-queue.ts';

/** Decides when requests are sent. */
export interface RequestLimiter {
  /**
   * Waits for the next slot for a request of the URL, first come first served.
   * @throws the signal's reason if it aborts first
   */
  acquire(signal: AbortSignal | undefined, url: string): Promise<Slot>;
  /** The server is busy: gives no slot for `restMs` milliseconds, then half as many per second as before. */
  slowDown(restMs: number): void;
  /** Several responses in a row have failed: gives half as many slots per second, down to a minimum. */
  falter(): void;
  /** A request succeeded: raises a reduced rate little by little. */
  recover(): void;
  /** Keeps requests at least this many milliseconds apart. */
  spaceOut(spacingMs: number): void;
}

/** A limiter that does not distinguish URLs. */
export interface RateLimiter extends RequestLimiter {
  acquire(signal?: AbortSignal): Promise<Slot>;
}

export interface RateLimiterOptions {
  /** A whole number, at least 1. */
  readonly requestsPerSecond: number;
  /** True after a restart: the requests of the last second are unknown, so the first slot comes a second later. */
  readonly resumed?: boolean;
  readonly clock?: LimiterClock;
}

/**
 * Limits the requests of one report: at the server, no window of one second holds more than `requestsPerSecond` (see
 * `createSlotQueue`). Requests are evenly spread, and slower if the server becomes slow (see `createPace`). The time to open a
 * connection delays the next slots, so that requests do not bunch up at the server.
 *
 * @throws RangeError if `requestsPerSecond` is not a whole number of at least 1
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { requestsPerSecond, resumed = false, clock = limiterClock } = options;
  if (!Number.isInteger(requestsPerSecond) || requestsPerSecond < 1) {
    throw new RangeError(`requestsPerSecond must be a whole number from 1, not ${requestsPerSecond}`);
  }
  const pace = createPace(requestsPerSecond, clock.now);
  const rules = {
    ...pace,
    openMax: () => requestsPerSecond,
    // Never by more than half a gap, so that requests stay spread.
    catchUpMs: () => pace.spacingMs() / 2,
  };
  const queue = createSlotQueue(rules, clock);
  if (resumed) queue.rest(aftermathMs);
  return {
    acquire: (signal) => queue.acquire(signal, reportOwner),
    slowDown(restMs) {
      queue.rest(restMs);
      pace.busy();
    },
    falter: pace.falter,
    recover: pace.recover,
    spaceOut: pace.spaceOut,
  };
}

/** The owner of all requests in a queue of one report. */
const reportOwner = '';

/** The smallest share of its rate that a crawl slows down to when the site is busy. */
const busyShareMin = 1 / 16;
/** The same for several failures in a row, for which the pages may be to blame. */
const falterShareMin = 1 / 4;
/** The share of its rate that a crawl regains at a time, after `recoveryMs` without problems. */
const recoveryShare = 1 / 16;
const recoveryMs = 2_000;
/** Responses whose median is the current response time, so that a few slow pages change nothing. */
const recentAnswers = 5;
/** The site is under strain when the response time exceeds `strainFactor` times the usual one plus this margin. */
const strainFactor = 3;
const strainMarginMs = 250;
/**
 * A third of the responses stay below the usual response time: each response above raises it a little, each one below lowers it
 * twice as much. Under strain, it rises more slowly, so that slow responses become usual only if they persist.
 */
const usualRise = 1.02;
const usualRiseInStrain = 1.005;
const usualFall = 0.96;

/** The rate of a crawl: the full rate, unless the site is busy, fails, or becomes slow. */
function createPace(requestsPerSecond: number, now: () => number) {
  let fullSpacingMs = 1_000 / requestsPerSecond;
  let share = 1;
  let changedAt = now();
  let usualMs: number | null = null;
  let recent: number[] = [];

  /** 1 if the response time is usual, else higher. */
  function strain(): number {
    if (usualMs === null || recent.length < recentAnswers) return 1;
    const median = recent.toSorted((a, b) => a - b)[recentAnswers >> 1] ?? 0;
    return Math.max(1, median / (strainFactor * usualMs + strainMarginMs));
  }

  function slowDown(shareMin: number): void {
    share = Math.min(share, Math.max(share / 2, shareMin));
    changedAt = now();
  }

  return {
    /** Milliseconds between two requests. */
    spacingMs: () => fullSpacingMs / Math.max(busyShareMin, share / strain()),
    /** Requests that may be in progress at a time. */
    inFlightMax: () => Math.max(1, Math.floor(fetchesInFlightMax / strain())),
    busy: () => slowDown(busyShareMin),
    falter: () => slowDown(falterShareMin),
    recover(): void {
      if (share === 1 || now() - changedAt < recoveryMs) return;
      share = Math.min(1, share + recoveryShare);
      changedAt = now();
    },
    /** Called when a request has ended or failed, with the milliseconds since it was written. */
    took(ms: number): void {
      const rise = strain() > 1 ? usualRiseInStrain : usualRise;
      usualMs = usualMs === null ? ms : Math.max(1, usualMs * (ms > usualMs ? rise : usualFall));
      recent = [...recent, ms].slice(-recentAnswers);
    },
    spaceOut(spacingMs: number): void {
      fullSpacingMs = Math.max(fullSpacingMs, spacingMs);
    },
  };
}

/** The limiters that everything in a process shares: crawls and link checks request the same hosts. */
export interface SharedLimiters {
  /** Limits the rate of requests to a host, for all reports together. Accounts share the limiter. */
  forHost(host: string, payerId: string): SharedLimiter;
  /** Limits the rate of the requests that a report sends to its own site, from its crawl and its checks. */
  forReport(reportId: string, requestsPerSecond: number): SharedLimiter;
}

export interface SharedLimiter extends Pick<RateLimiter, 'acquire'> {
  /** Gives no slot for this many milliseconds from now. */
  rest(ms: number): void;
}

/** Limiters remembered of each kind, about 2 kB each: more than are in use at a time, by 128 crawls and 128 links. */
const rememberedLimitersMax = 5_000;
/** Requests to a shared limiter come from limiters that have spread them: this much unevenness is allowed. */
const sharedCatchUpMs = 100;

/** Knows which other processes use the same rates, each for a host or a report. */
export interface RateShares {
  /** Called for each request of this process. */
  onRequest(rate: string): void;
  /** Returns the number of other processes that use a rate. */
  othersOn(rate: string): number;
}

const usedAlone: RateShares = { onRequest: () => undefined, othersOn: () => 0 };

/**
 * Limits the requests of all processes: processes that use the same rate have equal shares, of at least one request per second.
 * @param hostRequestsPerSecond limit for each host
 */
export function createSharedLimiters(
  hostRequestsPerSecond: number,
  clock: LimiterClock = limiterClock,
  { onRequest, othersOn }: RateShares = usedAlone,
): SharedLimiters {
  const queueFor = (rate: string, requestsPerSecond: number, more: SharedRules): SlotQueue => {
    const share = (): number => Math.max(1, Math.floor(requestsPerSecond / (1 + othersOn(rate))));
    const { acquire, rest } = createSharedQueue(share, clock, more);
    return {
      rest,
      acquire(signal, owner) {
        onRequest(rate);
        return acquire(signal, owner);
      },
    };
  };
  const hostRules = { inFlightMax: () => hostRequestsInFlightMax, isShared: true };
  const ofHost = remembering(rememberedLimitersMax, (host: string) =>
    queueFor(`host ${host}`, hostRequestsPerSecond, hostRules),
  );
  const reportRules = { inFlightMax: () => Number.POSITIVE_INFINITY };
  const ofReport = remembering(rememberedLimitersMax, (reportId, requestsPerSecond: number) =>
    queueFor(`report ${reportId}`, requestsPerSecond, reportRules),
  );
  return {
    forHost: (host, payerId) => sharedLimiter(ofHost(host), payerId),
    forReport: (reportId, requestsPerSecond) => sharedLimiter(ofReport(reportId, requestsPerSecond), reportOwner),
  };
}

type SharedRules = Pick<SlotRules, 'inFlightMax' | 'isShared'>;

function createSharedQueue(requestsPerSecond: () => number, clock: LimiterClock, more: SharedRules): SlotQueue {
  const spacingMs = (): number => 1_000 / requestsPerSecond();
  const rules = {
    openMax: requestsPerSecond,
    spacingMs,
    catchUpMs: () => Math.max(sharedCatchUpMs, spacingMs() / 2),
    ...more,
  };
  return createSlotQueue(rules, clock);
}

function sharedLimiter({ acquire, rest }: SlotQueue, owner: string): SharedLimiter {
  return { acquire: (signal) => acquire(signal, owner), rest };
}

/** Returns a limiter whose requests also wait for a slot of each of the other limiters, in their order. */
export function limitedBy(
  limiter: RequestLimiter,
  ...others: readonly Pick<RequestLimiter, 'acquire'>[]
): RequestLimiter {
  return {
    ...limiter,
    async acquire(signal, url) {
      const slots = [await limiter.acquire(signal, url)];
      try {
        for (const other of others) slots.push(await other.acquire(signal, url));
      } catch (error) {
        for (const slot of slots) slot.over();
        throw error;
      }
      return together(slots);
    },
  };
}

function together(slots: readonly Slot[]): Slot {
  const all = (event: keyof Slot) => (): void => {
    for (const slot of slots) slot[event]();
  };
  return { written: all('written'), answered: all('answered'), over: all('over') };
}
