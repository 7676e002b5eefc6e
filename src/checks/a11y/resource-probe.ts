import { hostOf } from '../../domain/host-name.ts';
import { isSameResource, type LoadedResource } from '../../domain/loaded-resource.ts';
import type { HttpClient } from '../../egress/http-client.ts';
import type { ResponseHead } from '../../egress/response-head.ts';
import { createByteBoundedMap, remembering } from '../../platform/bounded-cache.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { deviceUserAgent } from '../../spider/credentials.ts';
import { conditionsFor } from '../../spider/fetch-page.ts';
import { requestInSlot } from '../../spider/limited-request.ts';
import { createMemoryBudget } from '../../spider/memory-budget.ts';
import { createRateLimiter, limitedBy, type RequestLimiter, type SharedLimiters } from '../../spider/rate-limiter.ts';
import type { EngineRuntime, ResourceUse } from '../check-engine.ts';
import {
  probeBodiesMaxBytes,
  probeReportBodiesMaxBytes,
  probeRequestsMax,
  resourceHostsMax,
  resourceListMaxCharacters,
  resourceMaxBytes,
  resourceReportsMax,
  resourceRequestTimeoutMs,
  resourcesRememberedBytes,
  resourcesTimeoutMs,
} from './limits.ts';
import { comparedHeaders, contentOf, isWithoutContent, storedCharacters } from './resource-content.ts';

/** As browsers send it: some servers choose the format of an image based on this header. */
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
}): NonNullable<EngineRuntime['presentResources']> {
  /** The present versions; null for unusable responses; `wanted` if a page that loads it could not wait for the response. */
  const known = createByteBoundedMap<Promise<LoadedResource | null> | 'wanted'>(resourcesRememberedBytes);
  const limiterFor = remembering(resourceHostsMax, (_reportAndHost, requestsPerSecond: number) =>
    createRateLimiter({ requestsPerSecond }),
  );
  const places = createSemaphore(probeRequestsMax);
  const memory = createMemoryBudget({ bytesMax: probeBodiesMaxBytes, crawlBytesMax: probeReportBodiesMaxBytes });
  const reportOf = remembering(resourceReportsMax, (reportId) => ({
    /** Resources that were requested and have not arrived yet. */
    pending: new Set<string>(),
    memory: memory.forCrawl(reportId),
  }));

  function limiterOf(host: string, { cacheGroup, payerId, url, requestsPerSecond }: ResourceUse): RequestLimiter {
    const ofReport = host === hostOf(url) ? [limiters.forReport(cacheGroup, requestsPerSecond)] : [];
    const ofHost = limiters.forHost(host, payerId);
    return limitedBy(limiterFor(`${cacheGroup} ${host}`, requestsPerSecond), ...ofReport, ofHost);
  }

  async function request(earlier: LoadedResource, use: ResourceUse, ending: AbortSignal): Promise<LoadedResource> {
    const { url } = earlier;
    const signal = AbortSignal.any([ending, AbortSignal.timeout(resourceRequestTimeoutMs)]);
    const leave = await places.acquire(use.cacheGroup, signal);
    const room = reportOf(use.cacheGroup).memory.reserve(signal);
    try {
      const slot = await limiterOf(hostOf(url), use).acquire(signal, url);
      const headers = headersFor(earlier, use, httpClient.userAgent);
      const wantsBody = (head: ResponseHead): boolean => needsContent(earlier, head);
      const response = await requestInSlot(httpClient, slot, {
        ...{ url, headers, bodyMaxBytes: resourceMaxBytes, wantsBody, signal, takeRoom: room.take },
      });
      return presentVersion(earlier, response);
    } finally {
      room.release();
      leave();
    }
  }

  function ask(
    key: string,
    earlier: LoadedResource,
    use: ResourceUse,
    signal: AbortSignal,
  ): Promise<LoadedResource | null> {
    const { pending } = reportOf(use.cacheGroup);
    const remember = (of: LoadedResource | null): void =>
      known.set(key, present, 2 * (key.length + (of === null ? 0 : storedCharacters(of))));
    const present = request(earlier, use, signal)
      .catch(() => null)
      .then((now) => {
        pending.delete(key);
        if (signal.aborted) known.delete(key);
        else remember(now);
        return now;
      });
    pending.add(key);
    remember(earlier);
    return present;
  }

  return async (resources, use, signal) => {
    const { pending } = reportOf(use.cacheGroup);
    const pendingMax = (use.requestsPerSecond * resourcesTimeoutMs) / 1_000;
    const keyed = resources.map((resource) => {
      const key = `${use.cacheGroup} ${resource.type} ${resource.url}`;
      return { key, resource, remembered: known.get(key) };
    });
    const unknown = keyed.filter(({ remembered }) => remembered === undefined || remembered === 'wanted');
    if (pending.size + unknown.length > pendingMax) {
      // The page would wait in vain. Resources that several pages load are requested for the next pages.
      for (const { key, resource, remembered } of unknown) {
        if (remembered === undefined) known.set(key, 'wanted', 2 * key.length);
        else if (pending.size < pendingMax) void ask(key, resource, use, signal);
      }
      return null;
    }
    const all = keyed.map(({ key, resource, remembered }) =>
      remembered === undefined || remembered === 'wanted' ? ask(key, resource, use, signal) : remembered,
    );
    const present = await inTimeOr(Promise.all(all), resourcesTimeoutMs, null);
    return present && allSame(resources, present);
  };
}

/** Returns resources as they are at present; null if one has changed, or if they have become too long to be stored. */
function allSame(
  earlier: readonly LoadedResource[],
  present: readonly (LoadedResource | null)[],
): readonly LoadedResource[] | null {
  const same = present.filter(
    (now, index): now is LoadedResource =>
      now !== null && earlier[index] !== undefined && isSameResource(earlier[index], now),
  );
  const characters = same.reduce((sum, now) => sum + storedCharacters(now), 0);
  return same.length === earlier.length && characters <= resourceListMaxCharacters ? same : null;
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
    // Here these two headers are often about the 304 response itself, which has no content.
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
