import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { LoadedResources } from '../../domain/loaded-resource.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import { storableJson } from '../storable.ts';

/** Returns the hash that identifies a list of resources in a report, in hexadecimal. */
export function hashOf({ resources }: Pick<LoadedResources, 'resources'>): string {
  return createHash('sha256').update(JSON.stringify(resources)).digest('hex');
}

/** Stores the lists of resources that pages loaded, by hash: once for all pages of the report that loaded the same resources. */
export async function saveResources(
  { trx, reportId }: ReportTransaction,
  lists: ReadonlyMap<string, LoadedResources['resources']>,
): Promise<void> {
  if (lists.size === 0) return;
  const resources = Array.from(lists.values(), storableJson);
  await sql`INSERT INTO resource_lists (report_id, hash, resources)
    SELECT ${reportId}, decode(list.hash, 'hex'), list.resources::jsonb
    FROM unnest(${[...lists.keys()]}::text[], ${resources}::text[]) AS list (hash, resources)
    ON CONFLICT DO NOTHING`.execute(trx);
}
