import { sql, type Transaction } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { countWaitingCrawls } from '../queue/fair-shares.ts';
import { announceWork } from '../queue/worker.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import { payerOfReport, shortageOf } from '../store/credits.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { guestAccountOf } from '../store/guest-accounts.ts';
import type { Schema } from '../store/schema.ts';
import { creditsExhausted } from './credits-exhausted.ts';
import type { NewReportInput } from './report-actions.ts';
import { TooManyReports } from './too-many-reports.ts';

/**
 * Creates a report, on behalf of the host where the account is a guest; the spider takes it up at once.
 * @returns the new report's id
 * @throws AppError credits_exhausted when there is not a single credit; TooManyReports
 */
export function createReport(db: Executor, credentialStore: CredentialStore, input: NewReportInput): Promise<string> {
  return inTransaction(db, async (trx) => {
    const { id } = await trx
      .insertInto('reports')
      .values({
        account_id: input.accountId,
        schedule_id: input.scheduleId ?? null,
        guest_account_id: guestAccountOf(sql`${input.accountId}::uuid`),
        starting_url: input.startingUrl,
        domain: new URL(input.startingUrl).hostname,
        initial_urls: [...input.initialUrls],
        exclusions: [...input.exclusions],
        max_pages: input.maxPages,
        rate_limit: input.rateLimit,
        deep_crawl: input.deepCrawl,
        prefer_canonical_urls: input.preferCanonicalUrls,
        dynamic_crawler: input.dynamicCrawler,
        respect_robots_txt: input.respectRobotsTxt,
        device_id: input.deviceId,
        device_rotated: input.deviceRotated,
        wait_for: input.waitFor,
        shared: input.shared,
        tags: [...input.tags],
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sealed = credentialStore.seal(input.siteAccess, `report ${id}`);
    if (sealed !== null) await trx.updateTable('reports').set({ site_access: sealed }).where('id', '=', id).execute();
    if (input.checks.length > 0) {
      const rows = input.checks.map((kind) => ({
        report_id: id,
        kind,
        store_raw: input.storeRawChecks.includes(kind),
      }));
      await trx.insertInto('report_checks').values(rows).execute();
    }
    if (input.exclusions.length > 0) {
      const rows = input.exclusions.map((url) => ({ report_id: id, url, reason: 'exclusion' as const }));
      await trx.insertInto('excluded_urls').values(rows).execute();
    }
    const payer = await payerOfReport(trx, id);
    const shortage = shortageOf(payer, 1);
    if (shortage !== null) throw creditsExhausted(shortage);
    if (input.waitingReportsMax !== undefined) await refuseTooMany(trx, payer.accountId, input.waitingReportsMax);
    await announceWork(trx, ['crawl']);
    return id;
  });
}

/** @throws TooManyReports when more reports than that wait to be crawled */
async function refuseTooMany(trx: Transaction<Schema>, payerId: string, max: number): Promise<void> {
  // Reports that are made at the same time count each other.
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.newReports}, hashtext(${payerId}))`.execute(trx);
  if ((await countWaitingCrawls(trx, payerId, max + 1)) > max) throw new TooManyReports(max);
}
