import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { LoadedResources } from '../../domain/loaded-resource.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import { storableJson } from '../storable.ts';

/** Returns what identifies a list of resources in a report, in hexadecimal. */
export function hashOf({ resources }: Pick<LoadedResources, 'resources'>): string {
  return createHash('sha256').update(JSON.stringify(resources)).digest('hex');
}

/** Stores what a page loaded, once for all pages of the report that loaded the same. */
export async function saveResources({ trx, reportId }: ReportTransaction, loaded: LoadedResources): Promise<void> {
  await sql`INSERT INTO resource_lists (report_id, hash, resources)
    VALUES (${reportId}, decode(${hashOf(loaded)}, 'hex'), ${storableJson(loaded.resources)}::jsonb)
    ON CONFLICT DO NOTHING`.execute(trx);
}
