import type { RecordedResponse } from '../../browser/page-load/load-record.ts';
import { hostOf } from '../../domain/host-name.ts';
import type { LoadedResource } from '../../domain/loaded-resource.ts';
import type { HttpClient } from '../../egress/http-client.ts';
import { headerValue } from '../../egress/response-head.ts';
import { createByteBoundedMap, remembering } from '../../platform/bounded-cache.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { deviceUserAgent } from '../../spider/credentials.ts';
import { conditionsFor } from '../../spider/fetch-page.ts';
import { requestInSlot } from '../../spider/limited-request.ts';
import { createRateLimiter, limitedBy, type SharedLimiters } from '../../spider/rate-limiter.ts';
import type { ResourceUse } from '../check-engine.ts';
import {
  resourceHostsMax,
  resourceReportsMax,
  resourceRequestTimeoutMs,
  resourcesPerReportBytes,
  resourcesTimeoutMs,
} from './limits.ts';

/** Returns what a page loaded, in the order of the URLs; null if a response has no validator that is certain. */
export function loadedResources(responses: ReadonlyMap<string, RecordedResponse>): readonly LoadedResource[] | null {
  const resources = Array.from(responses, ([url, { type, headers }]) => ({
    ...{ url, type },
    conditions: conditionsFor({ httpStatus: 200, headers: Object.entries(headers) }),
  }));
  if (resources.some(({ conditions }) => Object.keys(conditions).length === 0)) return null;
  return resources.toSorted((a, b) => (a.url < b.url ? -1 : 1));
}

/** As browsers send it: some servers choose the format of an image by it. */
const ACCEPT: Readonly<Record<string, string>> = {
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  stylesheet: 'text/css,*/*;q=0.1',
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
};

/**
 * Returns a function that finds out whether resources are still the same, and requests each of them once per report. Resources
 * that take too long count as changed; the responses help the next pages.
 */
export function createResourceProbe({
  httpClient,
  limiters,
}: {
  readonly httpClient: HttpClient;
  readonly limiters: SharedLimiters;
}): (resources: readonly LoadedResource[], use: ResourceUse) => Promise<boolean> {
  const memoryOf = remembering(resourceReportsMax, () => ({
    known: createByteBoundedMap<Promise<boolean>>(resourcesPerReportBytes),
    /** Resources that were requested and have not responded. */
    pending: new Set<string>(),
    limiterFor: remembering(resourceHostsMax, (_host, requestsPerSecond: number) =>
      createRateLimiter({ requestsPerSecond }),
    ),
  }));

  async function isUnchanged({ url, type, conditions }: LoadedResource, use: ResourceUse): Promise<boolean> {
    const host = hostOf(url);
    const { limiterFor } = memoryOf(use.cacheGroup);
    const ofHost = limiters.forHost(host, use.payerId);
    const ofReport = host === hostOf(use.url) ? [limiters.forReport(use.cacheGroup, use.requestsPerSecond)] : [];
    const limiter = limitedBy(limiterFor(host, use.requestsPerSecond), ...ofReport, ofHost);
    const userAgent = deviceUserAgent(use.viewport, httpClient.userAgent);
    const headers = {
      ...{ accept: ACCEPT[type] ?? '*/*', 'accept-language': 'en-US,en;q=0.9', ...conditions },
      ...(userAgent !== null && { 'user-agent': userAgent }),
    };
    const signal = AbortSignal.timeout(resourceRequestTimeoutMs);
    const slot = await limiter.acquire(signal, url);
    const request = { url, headers, bodyMaxBytes: 0, wantsBody: () => false, signal };
    const head = await requestInSlot(httpClient, slot, request);
    // Some servers ignore conditions.
    const hasSameTag = head.status === 200 && headerValue(head, 'etag') === conditions['if-none-match'];
    return head.status === 304 || (conditions['if-none-match'] !== undefined && hasSameTag);
  }

  return async (resources, use) => {
    const { known, pending } = memoryOf(use.cacheGroup);
    const all = resources.map((resource) => {
      const key = JSON.stringify(resource);
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered;
      pending.add(key);
      const asked = isUnchanged(resource, use)
        .catch(() => false)
        .finally(() => pending.delete(key));
      known.set(key, asked, 2 * key.length);
      return asked;
    });
    // The page would wait in vain.
    if (pending.size > (use.requestsPerSecond * resourcesTimeoutMs) / 1_000) return false;
    const areAll = Promise.all(all).then((unchanged) => !unchanged.includes(false));
    return inTimeOr(areAll, resourcesTimeoutMs, false);
  };
}
