import { sql } from 'kysely';
import { hashSecret } from '../../platform/kept-secret.ts';
import type { Executor } from '../database.ts';

/** How long ids of calls are remembered: much longer than a signature is valid. */
const KEPT_HOURS = 24;

/** Returns the id of the report that a deploy hook returned for a call with this id; null if it is unknown. */
export async function reportOfHookMessage(db: Executor, scheduleId: string, messageId: string): Promise<string | null> {
  const row = await db
    .selectFrom('hook_messages')
    .select('report_id')
    .where('schedule_id', '=', scheduleId)
    .where('id_hash', '=', hashSecret(messageId))
    .executeTakeFirst();
  return row?.report_id ?? null;
}

/** Remembers the id of a call and its report. */
export async function recordHookMessage(
  db: Executor,
  { scheduleId, messageId, reportId }: Readonly<Record<'scheduleId' | 'messageId' | 'reportId', string>>,
): Promise<void> {
  const values = { schedule_id: scheduleId, id_hash: hashSecret(messageId), report_id: reportId };
  await db.insertInto('hook_messages').values(values).execute();
}

/** Deletes the ids of calls whose signatures are no longer valid. */
export async function deleteOldHookMessages(db: Executor): Promise<void> {
  await db
    .deleteFrom('hook_messages')
    .where('received_at', '<', sql<Date>`now() - make_interval(hours => ${sql.lit(KEPT_HOURS)})`)
    .execute();
}
