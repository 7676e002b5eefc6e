import type { RecordedResponse } from '../../browser/page-load/load-record.ts';
import type { LoadedResource } from '../../domain/loaded-resource.ts';
import { createByteBoundedMap, remembering } from '../../platform/bounded-cache.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { conditionsFor } from '../../spider/fetch-page.ts';
import {
  resourceContentsMaxBytes,
  resourceContentsTimeoutMs,
  resourceListMaxCharacters,
  resourceReportsMax,
  resourcesPerReportBytes,
} from './limits.ts';
import { comparedHeaders, contentOf, isWithoutContent, storedCharacters } from './resource-content.ts';

/** Returns what identifies the responses that a page loaded; null if they cannot be known to be the same another time. */
export type IdentifyResources = (
  responses: ReadonlyMap<string, RecordedResponse>,
  cacheGroup: string,
) => Promise<readonly LoadedResource[] | null>;

/** Returns the function. It reads the content of each version of a resource once per report. */
export function createResourceIdentifier(): IdentifyResources {
  const contentsOf = remembering(resourceReportsMax, () =>
    createByteBoundedMap<string | null>(resourcesPerReportBytes),
  );

  async function identify(
    url: string,
    response: RecordedResponse,
    { cacheGroup, read }: { readonly cacheGroup: string; readonly read: ReturnType<typeof createReader> },
  ): Promise<LoadedResource | null> {
    const known = contentsOf(cacheGroup);
    const { type, status, headers } = response;
    const conditions = conditionsFor({ httpStatus: status, headers: Object.entries(headers) });
    const resource = { url, type, status, headers: comparedHeaders(response), conditions };
    if (Object.keys(conditions).length === 0) {
      const content = await read(response);
      return content === null ? null : { ...resource, content };
    }
    const version = JSON.stringify(resource);
    const remembered = known.get(version);
    if (remembered !== undefined) return { ...resource, content: remembered };
    const content = await read(response);
    known.set(version, content, 2 * version.length);
    return { ...resource, content };
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
    const timeLeftMs = deadline - performance.now();
    if (bytesLeft <= 0 || timeLeftMs <= 0) return null;
    const { content, bytes } = await inTimeOr(readContent(response), timeLeftMs, UNKNOWN);
    bytesLeft -= bytes;
    return content;
  };
}

interface ReadContent {
  readonly content: string | null;
  readonly bytes: number;
}

const UNKNOWN: ReadContent = { content: null, bytes: 0 };

async function readContent(response: RecordedResponse): Promise<ReadContent> {
  if (isWithoutContent(response)) return { content: '', bytes: 0 };
  let bytes = 0;
  const found = new Set<string | null>();
  for (const read of response.contents) {
    const content = await read().catch(() => null);
    bytes += content?.length ?? 0;
    found.add(content === null || !isWhole(response, content) ? null : contentOf(response, content));
  }
  const [content = null] = found;
  return { content: found.size === 1 ? content : null, bytes };
}

/** Playwright requests a file again if the browser has dropped its content: this may be another version. */
function isWhole({ headers }: RecordedResponse, content: Uint8Array): boolean {
  const length = headers['content-length'];
  return length === undefined || headers['content-encoding'] !== undefined || Number(length) === content.length;
}
