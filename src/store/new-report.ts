import { sql, type Transaction } from 'kysely';
import { hostOf } from '../domain/host-name.ts';
import { columnsOf, type ReportDefinition } from '../domain/report-definition.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { CredentialStore } from './credential-store.ts';
import { guestAccountOf } from './guest-accounts.ts';
import type { Schema } from './schema.ts';

export interface NewReport extends ReportDefinition {
  readonly accountId: string;
  /** The schedule that has the report made, if one has. */
  readonly scheduleId?: string;
  readonly siteAccess: SiteAccess;
}

/**
 * Inserts a report with its enabled checks and its exclusions, under the guest account where the account is a guest.
 * @returns its id
 */
export async function insertReport(
  trx: Transaction<Schema>,
  credentialStore: CredentialStore,
  input: NewReport,
): Promise<string> {
  const { id } = await trx
    .insertInto('reports')
    .values({
      account_id: input.accountId,
      schedule_id: input.scheduleId ?? null,
      guest_account_id: guestAccountOf(sql`${input.accountId}::uuid`),
      domain: new URL(input.starting_url).hostname,
      crawl_hosts: [hostOf(input.starting_url)],
      ...columnsOf(input),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const sealed = credentialStore.seal(input.siteAccess, `report ${id}`);
  if (sealed !== null) await trx.updateTable('reports').set({ site_access: sealed }).where('id', '=', id).execute();
  if (input.checks.length > 0) {
    const rows = input.checks.map((kind) => ({
      report_id: id,
      kind,
      store_raw: input.store_raw_checks.includes(kind),
    }));
    await trx.insertInto('report_checks').values(rows).execute();
  }
  if (input.exclusions.length > 0) {
    const rows = input.exclusions.map((url) => ({ report_id: id, url, reason: 'exclusion' as const }));
    await trx.insertInto('excluded_urls').values(rows).execute();
  }
  return id;
}

/** Makes reports that are created for the same payer at the same time wait for each other, so that they count each other. */
export async function lockNewReports(trx: Transaction<Schema>, payerId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.newReports}, hashtext(${payerId}))`.execute(trx);
}
