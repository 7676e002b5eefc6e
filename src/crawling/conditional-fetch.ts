import type { FetchedDocument } from '../domain/check.ts';
import { unpackDocument } from '../platform/packed-document.ts';
import { conditionsFor } from '../spider/fetch-page.ts';
import type { Executor } from '../store/database.ts';
import { earlierDocument } from '../store/pages/earlier-documents.ts';
import type { Fetch } from './open-site.ts';

/** Returns a fetch that spares the transfer of pages that are the same as in an earlier report of the site (decision 0139). */
export function conditionalFetch(db: Executor, reportId: string, fetch: Fetch): Fetch {
  return async (url, expectation) => {
    const known = await documentToConfirm(db, reportId, url);
    // Without memory for the earlier document, the page is transferred.
    const hasRoom = known !== undefined && (expectation?.budget?.take(known.body.byteLength) ?? true);
    return fetch(url, hasRoom ? { ...expectation, known } : expectation);
  };
}

async function documentToConfirm(db: Executor, reportId: string, url: string): Promise<FetchedDocument | undefined> {
  const earlier = await earlierDocument(db, reportId, url);
  if (earlier === undefined) return undefined;
  const { http_status: httpStatus, content_type: contentType, headers } = earlier;
  if (Object.keys(conditionsFor({ httpStatus, headers })).length === 0) return undefined;
  return { url, httpStatus, contentType: contentType ?? '', headers, body: await unpackDocument(earlier.body) };
}
