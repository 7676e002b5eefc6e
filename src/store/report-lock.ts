import type { Transaction } from 'kysely';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Schema } from './schema.ts';

/** Locks a report against every other change of its counts. False when it was deleted. */
export async function lockReport(trx: Transaction<Schema>, reportId: string): Promise<boolean> {
  return (await lockedClaim(trx, reportId)) !== undefined;
}

/** The same for the spider. False as well when another run has taken the crawl over. */
export async function lockCrawl(trx: Transaction<Schema>, claim: CrawlClaim): Promise<boolean> {
  const row = await lockedClaim(trx, claim.reportId);
  return row !== undefined && row.crawl_claim_id === claim.claimId;
}

async function lockedClaim(trx: Transaction<Schema>, reportId: string) {
  return trx
    .selectFrom('reports')
    .select('crawl_claim_id')
    .where('id', '=', reportId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}
