import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database.ts';

/**
 * Ends mutings, and records when each was added and ended for the sites whose issues it muted: trends of the sites mark both
 * times.
 * @param ending the statement that ends them; it returns their `id` and `inserted_at`
 */
export async function recordEnds(db: Executor, ending: RawBuilder<unknown>): Promise<void> {
  await sql`
    WITH ended AS (${ending})
    INSERT INTO ended_mutings (site_id, muting_id, added_at, ended_at)
    SELECT DISTINCT r.site_id, e.id, e.inserted_at, now()
    FROM ended e JOIN report_mutings m ON m.muting_id = e.id AND m.how_many > 0 JOIN reports r ON r.id = m.report_id
    ORDER BY 1, 2
    ON CONFLICT (site_id, muting_id) DO NOTHING`.execute(db);
}

/** Removes the records from before a site's earliest report that still exists. */
export async function pruneEndedMutings(db: Executor, siteId: string): Promise<void> {
  await sql`
    DELETE FROM ended_mutings WHERE site_id = ${siteId} AND ended_at < coalesce(
      (SELECT min(inserted_at) FROM reports WHERE site_id = ${siteId} AND deleted_at IS NULL), 'infinity')`.execute(db);
}
