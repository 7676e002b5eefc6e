import { conditionsFor, type KnownDocument } from '../spider/fetch-page.ts';
import type { Executor } from '../store/database.ts';
import { storedDocument } from '../store/pages/documents.ts';
import { earlierDocument } from '../store/pages/earlier-documents.ts';
import type { Fetch } from './open-site.ts';

/** Returns a fetch that does not transfer pages that are the same as in an earlier report of the site (decision 0139). */
export function conditionalFetch(db: Executor, reportId: string, fetch: Fetch): Fetch {
  return async (url, expectation, isRedirectTarget) =>
    fetch(url, { ...expectation, known: await documentToConfirm(db, reportId, url) }, isRedirectTarget);
}

async function documentToConfirm(db: Executor, reportId: string, url: string): Promise<KnownDocument | undefined> {
  const earlier = await earlierDocument(db, reportId, url);
  if (earlier === undefined) return undefined;
  const { http_status: httpStatus, content_type: contentType, headers, hash, size } = earlier;
  if (Object.keys(conditionsFor({ httpStatus, headers })).length === 0) return undefined;
  const read = () => storedDocument(db, hash);
  return { url, httpStatus, contentType: contentType ?? '', headers, size, read };
}
