import { sql } from 'kysely';
import type { Executor } from './database.ts';

/** Reports and schedules that hold something to sign in with that does not begin as what this installation seals does. */
export async function countSealedOtherwise(db: Executor, head: Buffer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count
    FROM (SELECT site_access FROM reports WHERE deleted_at IS NULL UNION ALL SELECT site_access FROM schedules) AS sealed
    WHERE substring(site_access FROM 1 FOR ${head.length}) <> ${head}`.execute(db);
  return rows[0]?.count ?? 0;
}
