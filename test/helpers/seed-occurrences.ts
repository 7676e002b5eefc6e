import { createHash } from 'node:crypto';
import type { IssueIdentity } from '../../src/domain/check.ts';
import { CLUSTER_BYTES, TRACE_BYTES } from '../../src/issues/identity.ts';
import type { TestStore } from './crawler.ts';
import { occurrence } from './sample-report.ts';
import { seedDocument, seedReport } from './seed.ts';

export const MESSAGE = 'Element “center” not allowed.';

/** A page with occurrences of one kind of error. */
export interface PageOfOccurrences {
  readonly url: string;
  /** The number of its first occurrence, and the number after its last one: the same number on a page is the same occurrence. */
  readonly occurrences: readonly [from: number, to: number];
  /** How many clusters the occurrences are in. */
  readonly clusters?: number;
}

/** Makes a finished report of HTML checks with any number of occurrences. */
export async function seedOccurrences(
  store: Pick<TestStore, 'db' | 'accountId'>,
  pages: readonly PageOfOccurrences[],
): Promise<string> {
  const report = {
    account_id: store.accountId,
    starting_url: pages[0] === undefined ? 'https://example.com/' : new URL('/', pages[0].url).href,
  };
  const seeded = await seedReport(
    store.db,
    report,
    ['html'],
    pages.map((page) => {
      const kind = { type: 'error', message: MESSAGE } as const;
      const issue = { kind, occurrences: [occurrence(1)], identity: identityOn(page) };
      return { url: page.url, checks: { html: { status: 'checked' as const, issues: [issue] } } };
    }),
  );
  for (const { url } of pages) await seedDocument(store.db, seeded.pageIds.get(url) ?? 0, Buffer.from(url));
  return seeded.reportId;
}

export function identityOn({ url, occurrences: [from, to], clusters = 1 }: PageOfOccurrences): IssueIdentity {
  const { pathname } = new URL(url);
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  const ofClusters = Buffer.alloc(CLUSTER_BYTES * numbers.length);
  for (const [index, number] of numbers.entries())
    ofClusters.writeBigInt64BE(BigInt(number % clusters), CLUSTER_BYTES * index);
  return {
    kind: md5(MESSAGE).toString('hex'),
    occurrences: Buffer.concat(numbers.map((number) => md5(`${pathname}${number}`))),
    clusters: ofClusters,
    traces: Buffer.alloc(TRACE_BYTES * numbers.length),
  };
}

function md5(text: string): Buffer {
  return createHash('md5').update(text).digest();
}
