import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from '../store/database.ts';
import type { Plan } from '../store/schema.ts';

/**
 * Decides whose work is claimed next. Accounts take turns, regardless of the amount of their work: the next piece belongs to the
 * account with the least in progress in all processes. Shares belong to payers, so a host and its guests have one share.
 */

/** Limits on the reports that are crawled at a time. */
export interface CrawlCaps {
  /** Reports per account, by its plan, in all processes together. */
  readonly ofPlans: Readonly<Record<Plan, { readonly running_reports: number }>>;
  /**
   * Reports of all accounts together in this process. An account starts a crawl only while it has fewer than are free, so that
   * the next account does not wait: one account alone uses about half of them, two accounts a third each, and so on.
   */
  readonly ofProcess: number;
}

/** The condition of the index `checks_free`: checks that wait for a worker. */
export const isFreeCheck = sql`c.status = 'pending' AND c.runnable AND c.claimed_by IS NULL`;
/** The condition of the index `reports_crawl_waiting`: reports that wait for the spider. */
export const isWaitingCrawl = sql`r.crawl_pending AND r.crawled_by IS NULL AND r.deleted_at IS NULL`;

/** Counts the reports of an account that wait for the spider, up to `max`. */
export async function countWaitingCrawls(db: Executor, payerId: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM (
      SELECT FROM reports r WHERE ${isWaitingCrawl} AND r.payer_id = ${payerId} LIMIT ${max}
    ) AS waiting`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Selects the ids of the payers with waiting work by a loose index scan, which reads one entry for each payer.
 * @param from such as `checks c WHERE ...`, with conditions on all columns before `payer_id` in the index
 */
function payersWith(from: RawBuilder<unknown>, payerId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    (SELECT ${payerId} AS payer_id FROM ${from} ORDER BY ${payerId} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${payerId} FROM ${from} AND ${payerId} > w.payer_id ORDER BY ${payerId} LIMIT 1)
    FROM waiting w WHERE w.payer_id IS NOT NULL`;
}

/**
 * The number of pages of a report that are claimed one after the other, as in the index `checks_free`: results of one report are
 * saved together, which costs about as much as saving a single one.
 */
const PAGES_TOGETHER = 8;

/** Returns an expression for the group of pages to which a turn belongs. @param turn names its column */
export function groupOfPages(turn: 'c.turn' | 'claimed.turn'): RawBuilder<number> {
  return sql`((${sql.ref(turn)} - 1) / ${sql.lit(PAGES_TOGETHER)})`;
}

/** Checks that an account gets at a time, because results of one report are saved together. */
const LOT = 4;

/**
 * Where claims search for free checks: among all, or only for the accounts that have checks under way, starting at the groups of
 * pages of those checks.
 */
export type CheckSearch = 'all' | 'onward';

/**
 * Builds common table expressions that end with `shares (payer_id, share, first_group)`: how many of the next `limit` checks each
 * account gets, and the first group of pages in which it has checks under way. Each lot goes to the account with the fewest
 * checks, including the lots that it has already got; ties are broken at random.
 * @param condition a condition on `c`; accounts without such a check get no share
 * @param except ids of accounts that get no share
 */
export function checkShares(
  { kind, limit, search }: CheckShares,
  condition: RawBuilder<unknown>,
  except: readonly string[],
): RawBuilder<unknown> {
  const free = sql`checks c WHERE c.kind = ${kind} AND ${isFreeCheck} AND ${condition}`;
  // At least two accounts get a share if they have free checks.
  const lot = sql`${Math.min(LOT, Math.ceil(limit / 2))}::integer`;
  return sql`
    running AS (
      SELECT c.payer_id, count(*) AS checks, min(${groupOfPages('c.turn')}) AS first_group FROM checks c
      WHERE c.claimed_by IS NOT NULL AND c.kind = ${kind} GROUP BY c.payer_id
    ),
    waiting (payer_id) AS (${search === 'all' ? payersWith(free, sql.ref('c.payer_id')) : sql`SELECT payer_id FROM running`}),
    shares AS (
      SELECT payer_id, count(*) AS share, min(first_group) AS first_group FROM (
        SELECT payer_id, first_group FROM (
          SELECT payer_id, random() AS draw FROM waiting WHERE payer_id IS NOT NULL AND payer_id <> ALL(${except}::uuid[])
        ) AS payers LEFT JOIN running USING (payer_id), generate_series(1, ${limit}::integer) AS nth
        ORDER BY coalesce(running.checks, 0) + (nth - 1) / ${lot} * ${lot}, draw, nth
        LIMIT ${limit}
      ) AS given GROUP BY payer_id
    )`;
}

export interface CheckShares {
  readonly kind: CheckKind;
  readonly limit: number;
  readonly search: CheckSearch;
}

/** Candidates of each account: more than one, because another transaction may have locked the first. */
const CANDIDATES = 3;

/**
 * Builds common table expressions that end with `candidates (id, running, inserted_at)`: the oldest waiting reports of each
 * account within its limits, with the number of its running crawls.
 * @param condition a condition on `r` for reports that this process can crawl
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
