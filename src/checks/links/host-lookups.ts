import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from '../../egress/http-client.ts';
import { HttpFault, type HttpFaultReason, toHttpFault } from '../../egress/http-fault.ts';
import { remembering } from '../../platform/bounded-cache.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { lookupsAtATimeMax, rememberedLookupMs, rememberedLookupsMax } from './limits.ts';

/** Who needs a lookup. */
export interface Asker {
  /** Reports take turns with their lookups. */
  readonly report: string;
  /** Results of lookups that ended before this time are not used, in milliseconds of `performance.now()`. */
  readonly since: number;
  /** Cancels a lookup that this caller was the first to need. */
  readonly signal: AbortSignal;
}

/** Looks up the hosts of links before they are requested, so that requests do not wait for name servers. */
export interface HostLookups {
  /**
   * Looks up the host of a URL, unless that has been done in the last minute. If its name servers do not respond, or fail, looks
   * it up once more, later. All other faults are left to the request, which reports them exactly.
   * @throws HttpFault `name_lookup_timeout` or `name_lookup_failed`; the signal's reason when it is aborted
   */
  require(url: string, asker: Asker): Promise<void>;
}

interface Lookup {
  fault: Promise<HttpFaultReason | null>;
  /** In milliseconds of `performance.now()`; `Infinity` during a lookup, `-Infinity` without one. */
  endedAt: number;
}

/** Whether the error is a failed lookup that may succeed later. */
export function isPassingNameFault(error: unknown): error is HttpFault {
  return error instanceof HttpFault && ['name_lookup_timeout', 'name_lookup_failed'].includes(error.reason);
}

/** @param againAfterMs milliseconds between a failed lookup and the second lookup */
export function createHostLookups({ lookUp }: Pick<HttpClient, 'lookUp'>, againAfterMs: number): HostLookups {
  const semaphore = createSemaphore(lookupsAtATimeMax);
  const lookupOf = remembering(
    rememberedLookupsMax,
    (): Lookup => ({ fault: Promise.resolve(null), endedAt: Number.NEGATIVE_INFINITY }),
  );

  async function faultOnce(hostname: string, { report, signal }: Asker): Promise<HttpFaultReason | null> {
    const release = await semaphore.acquire(report, signal);
    try {
      await lookUp(hostname);
      return null;
    } catch (error) {
      const fault = toHttpFault(error, null);
      return isPassingNameFault(fault) ? fault.reason : null;
    } finally {
      release();
    }
  }

  async function faultOf(hostname: string, asker: Asker): Promise<HttpFaultReason | null> {
    if ((await faultOnce(hostname, asker)) === null) return null;
    await delay(againAfterMs, undefined, { signal: asker.signal });
    return faultOnce(hostname, asker);
  }

  function begin(lookup: Lookup, hostname: string, asker: Asker): void {
    lookup.endedAt = Number.POSITIVE_INFINITY;
    lookup.fault = faultOf(hostname, asker);
    lookup.fault.then(
      () => {
        lookup.endedAt = performance.now();
      },
      () => {
        lookup.endedAt = Number.NEGATIVE_INFINITY;
      },
    );
  }

  return {
    async require(url, asker) {
      const { hostname } = new URL(url);
      if (hostname.startsWith('[') || isIP(hostname) !== 0) return;
      const lookup = lookupOf(hostname);
      for (;;) {
        asker.signal.throwIfAborted();
        if (lookup.endedAt < Math.max(asker.since, performance.now() - rememberedLookupMs))
          begin(lookup, hostname, asker);
        const fault = await lookup.fault.catch(() => 'cancelled' as const);
        if (fault === null) return;
        // A lookup ends with the check that needed it first. If that was canceled, this check looks up the host itself.
        if (fault !== 'cancelled') throw new HttpFault(fault);
      }
    },
  };
}
