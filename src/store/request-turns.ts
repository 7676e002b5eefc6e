import { sql } from 'kysely';
import type { Executor } from './database.ts';

/**
 * Milliseconds' worth of requests that the turns of a second spread over: the tenth more makes up for requests that reach
 * the server somewhat later than they were due.
 */
const SPREAD_MS = 1_100;

/**
 * Reserves the report's next turn to request a document, at its rate, whichever process asks.
 * @returns milliseconds from now until the turn
 */
export async function reserveRequest(db: Executor, reportId: string): Promise<number> {
  const { rows } = await sql<{ waitMs: number }>`
    UPDATE reports SET next_request_at = greatest(next_request_at, clock_timestamp())
      + make_interval(secs => ${SPREAD_MS / 1_000}::float8 / rate_limit)
    WHERE id = ${reportId}
    RETURNING (extract(epoch FROM next_request_at - clock_timestamp()) * 1000 - ${SPREAD_MS}::float8 / rate_limit)::float8
      AS "waitMs"`.execute(db);
  return Math.max(0, rows[0]?.waitMs ?? 0);
}

/** Lets no turn of the report begin within the next milliseconds, whichever process asks. */
export async function deferRequests(db: Executor, reportId: string, ms: number): Promise<void> {
  await sql`
    UPDATE reports SET next_request_at = greatest(next_request_at,
      clock_timestamp() + make_interval(secs => ${ms / 1_000}::float8))
    WHERE id = ${reportId}`.execute(db);
}
