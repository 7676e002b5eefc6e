import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Executor } from '../database.ts';

/** What a process has used of something that is limited for all processes together. */
export interface SharedCount {
  readonly name: string;
  readonly amount: number;
}

/** What another process has used in one period of `COUNTED_S`. */
export interface CountOfOther extends SharedCount {
  readonly process: string;
  /** Since the period began. */
  readonly ageMs: number;
}

interface Exchange {
  /** The id of this process. */
  readonly process: string;
  readonly own: readonly SharedCount[];
  /** Whether the amounts replace earlier amounts of the same period, instead of being added to them. */
  readonly replaces: boolean;
  /** Older counts of other processes are left out. */
  readonly withinS: number;
}

/** Length of a period whose uses are counted together. */
const COUNTED_S = 5;
/** Older counts are of no use to anyone. */
const KEPT_S = 120;

/** Publishes what this process has used, and returns what the other processes have used of the same things. */
export async function exchangeCounts(
  db: Executor,
  { process, own, replaces, withinS }: Exchange,
): Promise<readonly CountOfOther[]> {
  const names = new Map(own.map(({ name }) => [digestOf(name).toString('hex'), name]));
  const digests = own.map(({ name }) => digestOf(name));
  const amounts = own.map(({ amount }) => amount);
  const { rows } = await sql<{ name: Buffer; process: string; amount: number; ageMs: number }>`
    WITH published AS (
      INSERT INTO shared_counts AS s (name, process, began_at, amount)
      SELECT name, ${process}::uuid, date_bin(make_interval(secs => ${sql.lit(COUNTED_S)}), now(), 'epoch'), amount
      FROM unnest(${digests}::bytea[], ${amounts}::integer[]) AS own (name, amount)
      ON CONFLICT (name, process, began_at) DO UPDATE
        SET amount = CASE WHEN ${replaces} THEN excluded.amount ELSE s.amount + excluded.amount END
    )
    SELECT name, process, amount, (extract(epoch FROM now() - began_at) * 1000)::float8 AS "ageMs" FROM shared_counts
    WHERE name = ANY(${digests}::bytea[]) AND process <> ${process}::uuid
      AND began_at > now() - make_interval(secs => ${withinS})`.execute(db);
  return rows.map((row) => ({ ...row, name: names.get(row.name.toString('hex')) ?? '' }));
}

/** Removes counts that are out of date. */
export async function removeOldCounts(db: Executor): Promise<void> {
  await sql`DELETE FROM shared_counts WHERE began_at < now() - make_interval(secs => ${sql.lit(KEPT_S)})`.execute(db);
}

function digestOf(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}
