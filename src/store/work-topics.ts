import { sql } from 'kysely';
import type { Executor } from './database.ts';

/**
 * What may have become free: `crawl` (a report to crawl), `purge` (a deleted report), `mutings`, `schedule`, `unreadable`, or a
 * kind of check.
 */
export type WorkTopic = string;

/** The channel on which workers hear of new work. */
export const WORK_CHANNEL = 'sitewarden_work';

/** Tells every worker that there is something to do; delivered when the transaction commits. */
export async function announceWork(db: Executor, topics: Iterable<WorkTopic>): Promise<void> {
  for (const topic of new Set(topics)) await sql`SELECT pg_notify(${WORK_CHANNEL}, ${topic})`.execute(db);
}
