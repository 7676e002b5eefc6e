import { sql } from 'kysely';
import type { Executor } from '../database.ts';

const WINDOW_SECONDS = 60;

export interface CountedAttempt {
  readonly key: Buffer;
  /** In the current minute, including this one. */
  readonly attempts: number;
  /** Until the minute is over. */
  readonly secondsLeft: number;
}

/** Counts an attempt under each key, in the minute that began with the first attempt of the key. */
export async function countAttempts(db: Executor, keys: readonly Buffer[]): Promise<CountedAttempt[]> {
  const isOver = sql`sign_in_attempts.began_at <= now() - make_interval(secs => ${sql.lit(WINDOW_SECONDS)})`;
  // In the order of keys, so that concurrent statements cannot deadlock.
  const { rows } = await sql<CountedAttempt>`
    INSERT INTO sign_in_attempts (key, attempts) SELECT key, 1 FROM unnest(${keys}::bytea[]) AS key ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
      attempts = CASE WHEN ${isOver} THEN 1 ELSE sign_in_attempts.attempts + 1 END,
      began_at = CASE WHEN ${isOver} THEN now() ELSE sign_in_attempts.began_at END
    RETURNING key, attempts,
      greatest(1, ceil(extract(epoch FROM began_at - now()) + ${sql.lit(WINDOW_SECONDS)}))::integer AS "secondsLeft"
  `.execute(db);
  return rows;
}

/** Subtracts what `countAttempts` counted for an attempt that succeeded. */
export async function uncountAttempts(db: Executor, keys: readonly Buffer[]): Promise<void> {
  await sql`
    WITH counted AS (SELECT key FROM sign_in_attempts WHERE key = ANY (${keys}::bytea[]) ORDER BY key FOR UPDATE)
    UPDATE sign_in_attempts SET attempts = greatest(0, attempts - 1) FROM counted WHERE counted.key = sign_in_attempts.key
  `.execute(db);
}

/** Deletes counts of minutes that are over. */
export async function deleteOldAttempts(db: Executor): Promise<void> {
  await db
    .deleteFrom('sign_in_attempts')
    .where('began_at', '<=', sql<Date>`now() - make_interval(secs => ${sql.lit(WINDOW_SECONDS)})`)
    .execute();
}
