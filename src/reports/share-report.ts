import { sql } from 'kysely';
import type { Executor } from '../store/database.ts';

/** Lets others read the report, or no longer. */
export async function setShared(db: Executor, reportId: string, shared: boolean): Promise<void> {
  await db.updateTable('reports').set({ shared, updated_at: sql<Date>`now()` }).where('id', '=', reportId).execute();
}
