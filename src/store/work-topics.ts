import { sql } from 'kysely';
import type { Executor } from './database.ts';

/**
 * A kind of work that may have become available: `crawl` (a report to crawl), `insights` (of a finished report), `purge` (a
 * deleted report), `claims` (which were revoked), `mutings`, `decisions`, `schedule`, `notifications`, or a kind of check.
 */
export type WorkTopic = string;

/** Announced when claims of processes are revoked, because their report or page was stopped or deleted. */
export const CLAIMS_TOPIC: WorkTopic = 'claims';

/** The channel that notifies workers of new work. */
export const WORK_CHANNEL = 'sitewarden_work';

/** Notifies all workers of new work once the transaction commits. */
export async function announceWork(db: Executor, topics: Iterable<WorkTopic>): Promise<void> {
  for (const topic of new Set(topics)) await sql`SELECT pg_notify(${WORK_CHANNEL}, ${topic})`.execute(db);
}
