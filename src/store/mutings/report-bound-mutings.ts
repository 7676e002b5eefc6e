import { sql, type Transaction } from 'kysely';
import type { Executor } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A muting of one report, from its configuration file. */
export interface ReportMuting {
  /** Part of the URLs of pages; empty for all. */
  readonly urlMatch: string;
  /** Part of messages or a rule id, as `isByRule` says; empty for all issues. */
  readonly message: string;
  /** Whether `message` is the whole id of a rule. */
  readonly isByRule: boolean;
  /** Mutes only occurrences in elements that match this CSS selector; null for all. */
  readonly selector: string | null;
  /** Why it exists. */
  readonly comment: string;
}

/** Inserts the mutings of a new report. They apply to its results from the beginning. */
export async function insertReportMutings(
  trx: Transaction<Schema>,
  { accountId, reportId }: { readonly accountId: string; readonly reportId: string },
  mutings: readonly ReportMuting[],
): Promise<void> {
  if (mutings.length === 0) return;
  // Their ids are in the order of the file.
  await sql`INSERT INTO mutings (account_id, report_id, url_match, message, by_rule, selector, comment, walk_pending)
    SELECT ${accountId}::uuid, ${reportId}::uuid, url_match, message, by_rule, selector, comment, false
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(mutings)}::jsonb)
      AS ("urlMatch" text, message text, "isByRule" boolean, selector text, comment text))
      WITH ORDINALITY AS m(url_match, message, by_rule, selector, comment, position)
    ORDER BY position`.execute(trx);
}

/** Returns the number of occurrences that each of a report's own mutings mutes, in the order in which they were inserted. */
export async function countReportMutings(db: Executor, reportId: string): Promise<readonly number[]> {
  const { rows } = await sql<{ how_many: number }>`
    SELECT coalesce(r.how_many, 0)::bigint AS how_many
    FROM mutings m LEFT JOIN report_mutings r ON r.muting_id = m.id AND r.report_id = m.report_id
    WHERE m.report_id = ${reportId} ORDER BY m.id`.execute(db);
  return rows.map((row) => row.how_many);
}
