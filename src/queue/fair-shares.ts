import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from '../store/database.ts';
import type { Plan } from '../store/schema.ts';

/**
 * Whose work is claimed next. Accounts take turns, whatever one of them has waiting: work goes to the account with the least
 * under way in all processes. An account is who pays, so a host and its guests have one share.
 */

/** How many reports of an account may be crawled at a time. */
export interface CrawlCaps {
  /** By the account's plan, in all processes together. */
  readonly ofPlans: Readonly<Record<Plan, { readonly running_reports: number }>>;
  /**
   * Reports that this process crawls at a time, all accounts together. One account never has more of them than it leaves
   * free, so that the next account finds a place at once: alone it has half of them, of two each has a third, and so on.
   */
  readonly ofProcess: number;
}

/** A check that waits for a worker, in the words of the index `checks_free`. */
export const isFreeCheck = sql`c.status = 'pending' AND c.runnable AND c.claimed_by IS NULL`;
/** A report that waits for the spider, in the words of the index `reports_crawl_waiting`. */
export const isWaitingCrawl = sql`r.crawl_pending AND r.crawled_by IS NULL AND r.deleted_at IS NULL`;

/** How many reports of an account wait for the spider; more than `max` count as `max`. */
export async function countWaitingCrawls(db: Executor, payerId: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM (
      SELECT FROM reports r WHERE ${isWaitingCrawl} AND r.payer_id = ${payerId} LIMIT ${max}
    ) AS waiting`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * The ids of the accounts that have something waiting, from the first column of the index: it is not read in between.
 * @param from such as `checks c WHERE ...`, with conditions on everything that stands before `payer_id` in the index
 */
function payersWith(from: RawBuilder<unknown>, payerId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    (SELECT ${payerId} AS payer_id FROM ${from} ORDER BY ${payerId} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${payerId} FROM ${from} AND ${payerId} > w.payer_id ORDER BY ${payerId} LIMIT 1)
    FROM waiting w WHERE w.payer_id IS NOT NULL`;
}

/**
 * Common table expressions that end with `shares (payer_id, share)`: how many of the next `limit` checks each account gets.
 * Each goes to the account that has the fewest with what it has got so far; among equals, chance decides.
 * @param condition on `c`: an account without such a check gets no share
 * @param except the ids of accounts that get no share either
 */
export function checkShares(
  kind: CheckKind,
  limit: number,
  condition: RawBuilder<unknown>,
  except: readonly string[],
): RawBuilder<unknown> {
  const free = sql`checks c WHERE c.kind = ${kind} AND ${isFreeCheck} AND ${condition}`;
  return sql`
    waiting (payer_id) AS (${payersWith(free, sql.ref('c.payer_id'))}),
    running AS (
      SELECT payer_id, count(*) AS checks FROM checks WHERE claimed_by IS NOT NULL AND kind = ${kind} GROUP BY payer_id
    ),
    shares AS (
      SELECT payer_id, count(*) AS share FROM (
        SELECT payer_id FROM waiting LEFT JOIN running USING (payer_id), generate_series(1, ${limit}::integer) AS nth
        WHERE payer_id IS NOT NULL AND payer_id <> ALL(${except}::uuid[])
        ORDER BY coalesce(running.checks, 0) + nth, random()
        LIMIT ${limit}
      ) AS given GROUP BY payer_id
    )`;
}

/** Of one account, the oldest reports that are candidates: more than one, in case somebody is changing the first. */
const CANDIDATES = 3;

/**
 * Common table expressions that end with `candidates (id, running, inserted_at)`: of each account that may have another
 * report crawled its oldest ones, with how many it has running.
 * @param condition on `r`, of reports that this process can crawl
 */
export function crawlCandidates(
  workerId: number,
  condition: RawBuilder<unknown>,
  caps: CrawlCaps | undefined,
): RawBuilder<unknown> {
  const waiting = sql`reports r WHERE ${isWaitingCrawl}`;
  return sql`
    waiting (payer_id) AS (${payersWith(waiting, sql.ref('r.payer_id'))}),
    running AS (
      SELECT payer_id, count(*) AS everywhere, count(*) FILTER (WHERE crawled_by = ${workerId}) AS here
      FROM reports WHERE crawled_by IS NOT NULL GROUP BY payer_id
    ),
    candidates AS (
      SELECT next.id, next.inserted_at, coalesce(running.everywhere, 0) AS running
      FROM waiting
      LEFT JOIN running USING (payer_id)
      LEFT JOIN accounts a ON a.id = waiting.payer_id
      CROSS JOIN LATERAL (
        SELECT r.id, r.inserted_at FROM ${waiting} AND r.payer_id = waiting.payer_id AND ${condition}
        ORDER BY r.inserted_at LIMIT ${sql.lit(CANDIDATES)}
      ) AS next
      ${caps === undefined ? sql`` : sql`WHERE ${isWithin(caps)}`}
    )`;
}

function isWithin({ ofPlans, ofProcess }: CrawlCaps): RawBuilder<boolean> {
  return sql`
    coalesce(running.everywhere, 0) < CASE a.plan
      WHEN 'enterprise' THEN ${ofPlans.enterprise.running_reports}::integer
      WHEN 'pro' THEN ${ofPlans.pro.running_reports}::integer
      ELSE ${ofPlans.free.running_reports}::integer END
    AND coalesce(running.here, 0) < ${ofProcess}::integer - (SELECT coalesce(sum(here), 0) FROM running)`;
}
