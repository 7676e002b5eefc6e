import { type RawBuilder, sql } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Executor } from '../store/database.ts';
import { heldLocks } from './held-locks.ts';

/**
 * Which process can sign in to the site of which report. Each may have a key of its own for what signs in; what is sealed
 * with it begins with its head, and so does everything that the process can read.
 */

/** An unfinished report that signs in to its site, and the head of what it signs in with, in hexadecimal digits. */
export interface SealedReport {
  readonly reportId: string;
  readonly head: string;
}

/** The unfinished reports that no living worker can sign in. */
export async function reportsWithoutKey(db: Executor, headBytes: number): Promise<SealedReport[]> {
  const { rows } = await sql<SealedReport>`
    SELECT id AS "reportId", head
    FROM reports, encode(${sealedHead(headBytes)}, 'hex') AS head
    WHERE ${isUnfinished} AND hashtext(head) NOT IN (${heldLocks('key')})
    ORDER BY id`.execute(db);
  return rows;
}

/** The statement with which a worker's connection says, for as long as it lives, that its process has a key. */
export function holdKey(keyHead: Buffer): { readonly text: string; readonly values: unknown[] } {
  return {
    text: `SELECT pg_advisory_lock_shared(${ADVISORY_LOCKS.key}, hashtext($1))`,
    values: [keyHead.toString('hex')],
  };
}

/** The ids of the unfinished reports, few in all, that a process with the key cannot sign in. */
export function reportsOfOtherKeys(keyHead: Buffer): RawBuilder<unknown> {
  return sql`SELECT id FROM reports WHERE ${isUnfinished} AND ${sealedHead(keyHead.length)} <> ${keyHead}`;
}

/** In the words of the index. */
const isUnfinished = sql`site_access IS NOT NULL AND status IN ('pending', 'crawling', 'checking')`;

function sealedHead(bytes: number): RawBuilder<Buffer> {
  return sql`substring(site_access FROM 1 FOR ${sql.lit(bytes)})`;
}
