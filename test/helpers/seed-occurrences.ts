import { createHash } from 'node:crypto';
import { sql } from 'kysely';
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

/** Inserts a finished report of HTML checks with any number of occurrences. */
export async function seedOccurrences(
  store: Pick<TestStore, 'db' | 'accountId'>,
  pages: readonly PageOfOccurrences[],
): Promise<string> {
  const html = {
    status: 'checked',
    issues: [{ kind: { type: 'error', message: MESSAGE }, occurrences: [occurrence(1)] }],
  } as const;
  const report = {
    account_id: store.accountId,
    starting_url: pages[0] === undefined ? 'https://example.com/' : new URL('/', pages[0].url).href,
  };
  const seeded = await seedReport(
    store.db,
    report,
    ['html'],
    pages.map(({ url }) => ({ url, checks: { html } })),
  );
  const kind = createHash('md5').update(MESSAGE).digest();
  await sql`UPDATE common_issues SET fingerprint = ${kind} WHERE report_id = ${seeded.reportId}`.execute(store.db);
  for (const { url, occurrences, clusters = 1 } of pages) {
    const id = seeded.pageIds.get(url) ?? 0;
    await seedDocument(store.db, id, Buffer.from(url));
    const [from, to] = occurrences;
    await sql`
      UPDATE issues SET how_many = ${to - from}::integer, fingerprints = p.fingerprints, clusters = p.clusters,
        traces = decode(repeat('00', ${8 * (to - from)}::integer), 'hex')
      FROM (
        SELECT string_agg(decode(md5(${new URL(url).pathname} || n), 'hex'), ''::bytea ORDER BY n) AS fingerprints,
          string_agg(int8send(n % ${clusters}::bigint), ''::bytea ORDER BY n) AS clusters
        FROM generate_series(${from}::bigint, ${to - 1}::bigint) AS n
      ) p WHERE web_page_id = ${id}`.execute(store.db);
  }
  await sql`
    UPDATE common_issues c SET how_many = (SELECT sum(how_many) FROM issues WHERE common_issue_id = c.id)
    WHERE report_id = ${seeded.reportId}`.execute(store.db);
  return seeded.reportId;
}
