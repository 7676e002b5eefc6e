import { hostOf } from '../../domain/host-name.ts';
import { isSameResource, type LoadedResource } from '../../domain/loaded-resource.ts';
import type { HttpClient } from '../../egress/http-client.ts';
import type { ResponseHead } from '../../egress/response-head.ts';
import { createByteBoundedMap, remembering } from '../../platform/bounded-cache.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { deviceUserAgent } from '../../spider/credentials.ts';
import { conditionsFor } from '../../spider/fetch-page.ts';
import { requestInSlot } from '../../spider/limited-request.ts';
import { createRateLimiter, limitedBy, type SharedLimiters } from '../../spider/rate-limiter.ts';
import type { ResourceUse } from '../check-engine.ts';
import {
  resourceHostsMax,
  resourceListMaxCharacters,
  resourceMaxBytes,
  resourceReportsMax,
  resourceRequestTimeoutMs,
  resourcesPerReportBytes,
  resourcesTimeoutMs,
} from './limits.ts';
import { comparedHeaders, contentOf, isWithoutContent, storedCharacters } from './resource-content.ts';

/** As browsers send it: some servers choose the format of an image by it. */
const ACCEPT: Readonly<Record<string, string>> = {
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  stylesheet: 'text/css,*/*;q=0.1',
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
};

/**
 * Returns a function that requests resources again, each of them once per report. It returns them with their present validators
 * if all are still the same; null otherwise. Resources that take too long count as changed; their responses help the next pages.
 */
export function createResourceProbe({
  httpClient,
  limiters,
}: {
  readonly httpClient: HttpClient;
  readonly limiters: SharedLimiters;
}): (resources: readonly LoadedResource[], use: ResourceUse) => Promise<readonly LoadedResource[] | null> {
  const memoryOf = remembering(resourceReportsMax, () => ({
    /** The present versions; null for unusable responses. */
    known: createByteBoundedMap<Promise<LoadedResource | null>>(resourcesPerReportBytes),
    /** Resources that were requested and have not responded. */
    pending: new Set<string>(),
    limiterFor: remembering(resourceHostsMax, (_host, requestsPerSecond: number) =>
      createRateLimiter({ requestsPerSecond }),
    ),
  }));

  async function request(earlier: LoadedResource, use: ResourceUse): Promise<LoadedResource> {
    const { url } = earlier;
    const host = hostOf(url);
    const { limiterFor } = memoryOf(use.cacheGroup);
    const ofHost = limiters.forHost(host, use.payerId);
    const ofReport = host === hostOf(use.url) ? [limiters.forReport(use.cacheGroup, use.requestsPerSecond)] : [];
    const limiter = limitedBy(limiterFor(host, use.requestsPerSecond), ...ofReport, ofHost);
    const signal = AbortSignal.timeout(resourceRequestTimeoutMs);
    const slot = await limiter.acquire(signal, url);
    const headers = headersFor(earlier, use, httpClient.userAgent);
    const wantsBody = (head: ResponseHead): boolean => needsContent(earlier, head);
    const response = await requestInSlot(httpClient, slot, {
      ...{ url, headers, bodyMaxBytes: resourceMaxBytes, wantsBody, signal },
    });
    return presentVersion(earlier, response);
  }

  return async (resources, use) => {
    const { known, pending } = memoryOf(use.cacheGroup);
    const all = resources.map((resource) => {
      const key = `${resource.type} ${resource.url}`;
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered;
      pending.add(key);
      const asked = request(resource, use)
        .catch(() => null)
        .then((now) => {
          pending.delete(key);
          known.set(key, asked, 2 * (key.length + (now === null ? 0 : storedCharacters(now))));
          return now;
        });
      known.set(key, asked, 2 * (key.length + storedCharacters(resource)));
      return asked;
    });
    // The page would wait in vain.
    if (pending.size > (use.requestsPerSecond * resourcesTimeoutMs) / 1_000) return null;
    const present = await inTimeOr(Promise.all(all), resourcesTimeoutMs, null);
    if (present === null) return null;
    const same = present.filter(
      (now, index): now is LoadedResource =>
        now !== null && resources[index] !== undefined && isSameResource(resources[index], now),
    );
    const isStorable = same.reduce((sum, now) => sum + storedCharacters(now), 0) <= resourceListMaxCharacters;
    return same.length === resources.length && isStorable ? same : null;
  };
}

function headersFor(
  { type, headers, conditions }: LoadedResource,
  { url, viewport }: ResourceUse,
  defaultUserAgent: string,
): Readonly<Record<string, string>> {
  const userAgent = deviceUserAgent(viewport, defaultUserAgent);
  return {
    ...{ accept: ACCEPT[type] ?? '*/*', 'accept-language': 'en-US,en;q=0.9', ...conditions },
    ...(userAgent !== null && { 'user-agent': userAgent }),
    // Some servers send this header only to requests with an origin.
    ...('access-control-allow-origin' in headers && { origin: new URL(url).origin }),
  };
}

function needsContent(earlier: LoadedResource, head: ResponseHead): boolean {
  const { type } = earlier;
  const { status } = head;
  const isKnown = earlier.content === null || status !== earlier.status || isWithoutContent({ type, status });
  return !isKnown && !hasSameTag(earlier, head);
}

/** Some servers ignore conditions. */
function hasSameTag({ status, conditions }: LoadedResource, head: ResponseHead): boolean {
  const tag = conditions['if-none-match'];
  return tag !== undefined && head.status === status && namedHeaders(head)['etag'] === tag;
}

function presentVersion(
  earlier: LoadedResource,
  response: ResponseHead & { readonly body: Uint8Array | null },
): LoadedResource {
  const { url, type } = earlier;
  const { status, body } = response;
  const headers = namedHeaders(response);
  const compared = comparedHeaders({ type, headers });
  if (status === 304 && Object.keys(earlier.conditions).length > 0) {
    // These two headers are often about the response itself, which has no content.
    const { 'content-type': _type, 'content-disposition': _disposition, ...given } = compared;
    return { ...earlier, headers: { ...earlier.headers, ...given } };
  }
  if (hasSameTag(earlier, response)) return { ...earlier, headers: compared };
  const known = isWithoutContent({ type, status }) ? '' : null;
  const content = body === null ? known : contentOf({ type, status, headers }, body);
  const conditions = conditionsFor({ httpStatus: status, headers: response.headers });
  return { url, type, status, headers: compared, conditions, content };
}

function namedHeaders({ headers }: ResponseHead): Readonly<Record<string, string>> {
  const named = new Map<string, string>();
  for (const [name, value] of headers) named.set(name, named.has(name) ? `${named.get(name)}, ${value}` : value);
  return Object.fromEntries(named);
}
