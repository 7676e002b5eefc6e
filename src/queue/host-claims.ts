import { type RawBuilder, sql } from 'kysely';
import type { CrawlClaim } from '../domain/crawl.ts';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { living } from '../store/living-workers.ts';
import { announceWork } from '../store/work-topics.ts';
import { isWaitingCrawl } from './fair-shares.ts';

/**
 * Each host is crawled by one process at a time, which enforces the host's limit in memory. A host is claimed with the crawl of a
 * report and released by its process; a killed process loses it together with the lock on its worker id.
 */

/**
 * Time without requests to a host that a worker lost: the limit counts the worker's last requests for a second, and a process
 * that lost its connection to the database may notice that later than others.
 */
const lostHostRestMs = 3_000;

/** Lets one transaction at a time claim hosts and crawls. */
export async function lockCrawlClaims(trx: Executor): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.crawlClaims})`.execute(trx);
}

/** Whether a row of `host_claims` belongs to a living worker that has not left the host. */
const isHeld = sql`free_at IS NULL AND claimed_by IN (${living})`;

/** Builds an array of the hosts of other living workers, which is evaluated once per statement. */
export function hostsOfOthers(workerId: number): RawBuilder<unknown> {
  return sql`ARRAY(SELECT host FROM host_claims WHERE claimed_by <> ${workerId} AND ${isHeld})`;
}

/**
 * Builds the statement that claims hosts for a worker. It returns `restMs` for each host: the time to wait before requests
 * because another worker has just had the host.
 * @param hosts a query for `host` and `claimed_by`; no host may belong to another living worker
 */
export function claimHosts(hosts: RawBuilder<unknown>): RawBuilder<unknown> {
  const rest = sql`coalesce(old.free_at, ${after(lostHostRestMs)}) - clock_timestamp()`;
  return sql`
    INSERT INTO host_claims (host, claimed_by) ${hosts}
    ON CONFLICT (host) DO UPDATE SET claimed_by = excluded.claimed_by, free_at = NULL
    RETURNING CASE WHEN old.claimed_by <> new.claimed_by THEN greatest(0, 1000 * extract(epoch FROM ${rest}))::float8
      ELSE 0 END AS "restMs"`;
}

/**
 * Claims another host for a crawl, such as a host that the starting URL redirects to. From now on the crawl also requires this
 * host.
 * @returns milliseconds to wait before requests to it; null if the host belongs to another living worker, or the claim of the
 *   crawl is lost
 */
export function claimAnotherHost(
  db: Executor,
  { reportId, claimId }: CrawlClaim,
  host: string,
): Promise<number | null> {
  return inTransaction(db, async (trx) => {
    await sql`
      UPDATE reports SET crawl_hosts = array_append(array_remove(crawl_hosts, ${host}), ${host})
      WHERE id = ${reportId} AND crawl_claim_id = ${claimId}`.execute(trx);
    await lockCrawlClaims(trx);
    const own = sql`
      SELECT ${host}::text, crawled_by FROM reports r
      WHERE id = ${reportId} AND crawl_claim_id = ${claimId} AND NOT EXISTS (
        SELECT FROM host_claims h WHERE h.host = ${host} AND h.claimed_by <> r.crawled_by AND ${isHeld})`;
    const { rows } = await sql<{ restMs: number }>`${claimHosts(own)}`.execute(trx);
    return rows[0]?.restMs ?? null;
  });
}

/** Releases a host, and wakes the workers if a report waits for it. To be called a second after the last request to it. */
export async function releaseHost(db: Executor, host: string, workerId: number): Promise<void> {
  await db.deleteFrom('host_claims').where('host', '=', host).where('claimed_by', '=', workerId).execute();
  await announceHosts(db, [host]);
}

/** Wakes all workers if reports wait for hosts. */
async function announceHosts(db: Executor, hosts: readonly string[]): Promise<void> {
  const { rows } = await sql`
    SELECT FROM reports r WHERE ${isWaitingCrawl} AND r.crawl_hosts && ${hosts}::text[] LIMIT 1`.execute(db);
  if (rows.length > 0) await announceWork(db, ['crawl']);
}

/**
 * Records that a worker that is about to end sends no more requests to its hosts.
 * @param aftermathMs how long its last requests count
 */
export async function leaveHosts(db: Executor, workerId: number, aftermathMs: number): Promise<void> {
  const { rows } = await sql<{ host: string }>`
    UPDATE host_claims SET free_at = ${after(aftermathMs)} WHERE claimed_by = ${workerId} RETURNING host`.execute(db);
  await announceHosts(
    db,
    rows.map(({ host }) => host),
  );
}

/** Starts the pause of hosts whose workers have died, and removes these hosts after the pause. Skips locked rows. */
export async function forgetLostHosts(db: Executor): Promise<void> {
  await sql`
    DELETE FROM host_claims WHERE host IN (
      SELECT host FROM host_claims WHERE free_at < clock_timestamp() AND claimed_by NOT IN (${living})
      FOR UPDATE SKIP LOCKED)`.execute(db);
  await sql`
    UPDATE host_claims SET free_at = ${after(lostHostRestMs)} WHERE host IN (
      SELECT host FROM host_claims WHERE free_at IS NULL AND claimed_by NOT IN (${living}) FOR UPDATE SKIP LOCKED)
  `.execute(db);
}

function after(ms: number): RawBuilder<Date> {
  return sql`clock_timestamp() + make_interval(secs => ${sql.lit(ms / 1_000)}::float8)`;
}
