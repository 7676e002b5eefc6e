import { isDeepStrictEqual } from 'node:util';
import type { RecordedResponse } from '../../browser/page-load/load-record.ts';
import { hasSameValidator, type LoadedResource } from '../../domain/loaded-resource.ts';
import { createByteBoundedMap } from '../../platform/bounded-cache.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { conditionsFor } from '../../spider/fetch-page.ts';
import {
  resourceContentsMaxBytes,
  resourceContentsTimeoutMs,
  resourceListMaxCharacters,
  resourceMaxBytes,
  resourcesRememberedBytes,
} from './limits.ts';
import { comparedHeaders, contentOf, isWithoutContent, storedCharacters } from './resource-content.ts';

/** Returns what identifies the responses that a page loaded; null if a later check could not verify that they are the same. */
export type IdentifyResources = (
  responses: ReadonlyMap<string, RecordedResponse>,
  cacheGroup: string,
) => Promise<readonly LoadedResource[] | null>;

/**
 * Returns the function. It reads the content of each version of a resource once per report, and for a cached copy that the
 * browser has revalidated, describes the response that was cached.
 */
export function createResourceIdentifier(): IdentifyResources {
  const known = createByteBoundedMap<LoadedResource>(resourcesRememberedBytes);

  async function identify(
    url: string,
    response: RecordedResponse,
    { cacheGroup, read }: { readonly cacheGroup: string; readonly read: ReturnType<typeof createReader> },
  ): Promise<LoadedResource | null> {
    const { type, status, headers } = response;
    const conditions = conditionsFor({ httpStatus: status, headers: Object.entries(headers) });
    const resource = { url, type, status, headers: comparedHeaders(response), conditions };
    if (Object.keys(conditions).length === 0) {
      const content = await read(response);
      return content === null ? null : { ...resource, content };
    }
    const key = `${cacheGroup} ${type} ${url}`;
    const earlier = known.get(key);
    if (earlier !== undefined && earlier.status === status && hasSameValidator(earlier, resource)) {
      if (response.isRevalidated) return { ...earlier, headers: { ...earlier.headers, ...resource.headers } };
      if (isDeepStrictEqual(earlier, { ...resource, content: earlier.content })) return earlier;
    }
    const found = { ...resource, content: await read(response) };
    if (!response.isRevalidated) known.set(key, found, 2 * (key.length + storedCharacters(found)));
    return found;
  }

  return async (responses, cacheGroup) => {
    const read = createReader();
    const resources: LoadedResource[] = [];
    let charactersLeft = resourceListMaxCharacters;
    for (const [url, response] of responses) {
      const resource = await identify(url, response, { cacheGroup, read });
      if (resource === null) return null;
      charactersLeft -= storedCharacters(resource);
      if (charactersLeft < 0) return null;
      resources.push(resource);
    }
    return resources.toSorted((a, b) => (a.url < b.url ? -1 : 1));
  };
}

/** Returns a function that reads contents, up to the limits of a page. */
function createReader(): (response: RecordedResponse) => Promise<string | null> {
  const deadline = performance.now() + resourceContentsTimeoutMs;
  let bytesLeft = resourceContentsMaxBytes;
  return async (response) => {
    if (isWithoutContent(response)) return '';
    const sizes = response.bodies.map(({ bytes }) => bytes);
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    const timeLeftMs = deadline - performance.now();
    if (sizes.some((bytes) => bytes > resourceMaxBytes) || size > bytesLeft || timeLeftMs <= 0) return null;
    bytesLeft -= size;
    return inTimeOr(readContent(response), timeLeftMs, null);
  };
}

async function readContent(response: RecordedResponse): Promise<string | null> {
  const found = new Set<string | null>();
  for (const { read } of response.bodies) found.add(contentOf(response, await read()));
  const [content = null] = found;
  return found.size === 1 ? content : null;
}
