import { sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { type CrawlCaps, checkShares, crawlCandidates, isFreeCheck, isWaitingCrawl } from './fair-shares.ts';
import { claimHosts, hostsOfOthers, lockCrawlClaims } from './host-claims.ts';

/** A check that this process has claimed. */
export interface ClaimedCheck {
  readonly webPageId: number;
  readonly reportId: string;
  /** The number of this claim: a result under any other number comes too late. */
  readonly claimId: number;
  /** How many times the check was claimed, this time included, since it last came to an end. */
  readonly attempts: number;
  readonly url: string;
  readonly httpStatus: number;
  readonly contentType: string;
  readonly headers: readonly [string, string][];
  /** The document, compressed with zstd. */
  readonly compressedBody: Buffer;
  /** Null for the default device. */
  readonly deviceId: string | null;
  readonly deviceRotated: boolean;
  /** A CSS selector of an element to wait for; null to wait until the page comes to rest. */
  readonly waitFor: string | null;
  readonly storesRaw: boolean;
  /** Requests per second to the site. */
  readonly rateLimit: number;
  readonly exclusions: readonly string[];
  readonly startingUrl: string;
  readonly siteUrl: string | null;
  /** The encrypted credentials for the site; null without. */
  readonly siteAccess: Buffer | null;
}

/**
 * Takes up to `limit` checks that are free, from the accounts with the fewest under way. Among the checks of an account,
 * pages that come early in their report go first, so that a report of ten pages does not wait for one of ten thousand.
 */
export function claimChecks(db: Executor, kind: CheckKind, workerId: number, limit: number): Promise<ClaimedCheck[]> {
  return inTransaction(db, async (trx) => {
    const claimed: ClaimedCheck[] = [];
    const exhausted: string[] = [];
    // What an account leaves of its share goes to the others, even when a whole round yields nothing: its checks may be
    // locked by another process, or be those of a deleted report.
    while (claimed.length < limit) {
      const shares = await claimShares(trx, kind, workerId, limit - claimed.length, exhausted);
      if (shares.length === 0) break;
      for (const { payerId, share, checks } of shares) {
        claimed.push(...checks);
        if (checks.length < share) exhausted.push(payerId);
      }
    }
    return claimed;
  });
}

/** How many checks an account was due, and which of them could be claimed. */
interface ClaimedShare {
  readonly payerId: string;
  readonly share: number;
  readonly checks: readonly ClaimedCheck[];
}

/** @returns one for each account that has a share; none when only exhausted accounts have checks waiting */
async function claimShares(
  db: Executor,
  kind: CheckKind,
  workerId: number,
  limit: number,
  exhausted: readonly string[],
): Promise<ClaimedShare[]> {
  type Row = Pick<ClaimedShare, 'payerId' | 'share'> & (ClaimedCheck | { readonly webPageId: null });
  const canRun = sql`NOT EXISTS (SELECT FROM reports r WHERE r.id = c.report_id AND r.deleted_at IS NOT NULL)`;
  // Usually every account can fill its share, and the look-up is saved. Once one could not, it keeps the rounds few,
  // however many accounts have only checks of deleted reports.
  const waits = exhausted.length === 0 ? sql`true` : canRun;
  const { rows } = await sql<Row>`
    WITH RECURSIVE ${checkShares(kind, limit, waits, exhausted)},
    next AS (
      SELECT free.web_page_id FROM shares CROSS JOIN LATERAL (
        SELECT c.web_page_id FROM checks c
        WHERE c.kind = ${kind} AND ${isFreeCheck} AND c.payer_id = shares.payer_id AND ${canRun}
        ORDER BY c.turn, c.web_page_id
        LIMIT shares.share
        FOR UPDATE SKIP LOCKED
      ) AS free
    ),
    claimed AS (
      UPDATE checks c
      SET claimed_by = ${workerId}, claim_id = nextval('claim_ids'), attempts = c.attempts + 1
      FROM next
      JOIN web_pages p ON p.id = next.web_page_id
      JOIN documents d ON d.hash = p.document_hash
      JOIN reports r ON r.id = p.report_id
      JOIN report_checks rc ON rc.report_id = p.report_id AND rc.kind = ${kind}
      WHERE c.web_page_id = next.web_page_id AND c.kind = ${kind}
      RETURNING c.payer_id, c.turn, c.web_page_id AS "webPageId", c.report_id AS "reportId", c.claim_id AS "claimId",
        c.attempts, p.url, p.http_status AS "httpStatus", coalesce(p.content_type, '') AS "contentType", p.headers,
        d.body AS "compressedBody", r.device_id AS "deviceId", r.device_rotated AS "deviceRotated", r.wait_for AS "waitFor",
        r.rate_limit AS "rateLimit", r.exclusions,
        rc.store_raw AS "storesRaw", r.starting_url AS "startingUrl", r.site_url AS "siteUrl", r.site_access AS "siteAccess"
    )
    SELECT shares.payer_id AS "payerId", shares.share, claimed.* FROM shares LEFT JOIN claimed USING (payer_id)
    ORDER BY claimed.turn, claimed."webPageId"`.execute(db);
  return [...Map.groupBy(rows, ({ payerId }) => payerId)].map(([payerId, group]) => ({
    payerId,
    share: group[0]?.share ?? 0,
    checks: group.filter((row) => row.webPageId !== null),
  }));
}

/**
 * Gives a check back, to be taken up again. It was no attempt. Of a check whose claim was lost meanwhile, only what
 * `noteBegin` counted is taken back: the process that began it lives.
 * @param wasBegun whether it was begun, so that what `noteBegin` counted has ended
 */
export async function releaseCheck(
  db: Executor,
  kind: CheckKind,
  check: Pick<ClaimedCheck, 'webPageId' | 'claimId' | 'attempts'>,
  wasBegun: boolean,
): Promise<void> {
  const isCurrent = sql<boolean>`claim_id IS NOT DISTINCT FROM ${check.claimId}`;
  const wasNoted = wasBegun && check.attempts > 1;
  await db
    .updateTable('checks')
    .set({
      claimed_by: sql`CASE WHEN ${isCurrent} THEN NULL ELSE claimed_by END`,
      claim_id: sql`CASE WHEN ${isCurrent} THEN NULL ELSE claim_id END`,
      attempts: sql`attempts - CASE WHEN ${isCurrent} THEN 1 ELSE 0 END`,
      ...(wasNoted && { begun_claims: sql`array_remove(begun_claims, ${check.claimId})` }),
    })
    .where('web_page_id', '=', check.webPageId)
    .where('kind', '=', kind)
    .where('status', '=', 'pending')
    .where(wasNoted ? sql<boolean>`true` : isCurrent)
    .execute();
}

/**
 * Notes that a check begins which was claimed before without coming to an end. Claims alone do not tell: a process may
 * have died of another page while this one waited its turn. May be repeated.
 * @returns how often it was begun so, this time included; null when the claim is no longer the current one
 */
export async function noteBegin(
  db: Executor,
  kind: CheckKind,
  check: Pick<ClaimedCheck, 'webPageId' | 'claimId'>,
): Promise<number | null> {
  const row = await db
    .updateTable('checks')
    .set({ begun_claims: sql`array_append(array_remove(begun_claims, ${check.claimId}), ${check.claimId})` })
    .where('web_page_id', '=', check.webPageId)
    .where('kind', '=', kind)
    .where('claim_id', '=', check.claimId)
    .returning('begun_claims')
    .executeTakeFirst();
  return row?.begun_claims.length ?? null;
}

/** A crawl that was claimed so often without getting on may be what ends the processes that crawl it. */
const SUSPECT_ATTEMPTS = 3;

export interface ClaimedCrawl extends CrawlClaim {
  /** How many times the crawl was claimed, this time included, since it last got on. */
  readonly attempts: number;
  /** Whose it is, and the hosts that were claimed with it. */
  readonly workerId: number;
  readonly hosts: readonly string[];
  /** Milliseconds for which nothing must be requested of these, since another worker lost one of them a moment ago. */
  readonly hostRestMs: number;
}

/**
 * Takes a report that waits for the spider, the oldest one of the account with the fewest reports being crawled; null when
 * there is none that may be. Of crawls that may end this process it has one at a time, so that the others do not end with
 * it again and again. The hosts that it requests become this worker's: none of them may be another living worker's.
 * @param caps absent: no account has too many
 */
export function claimCrawl(db: Executor, workerId: number, caps?: CrawlCaps): Promise<ClaimedCrawl | null> {
  return inTransaction(db, async (trx) => {
    // Two processes that count what is under way at the same time would both add to it.
    await lockCrawlClaims(trx);
    return claimNextCrawl(trx, workerId, caps);
  });
}

async function claimNextCrawl(
  trx: Executor,
  workerId: number,
  caps: CrawlCaps | undefined,
): Promise<ClaimedCrawl | null> {
  const mayCrawl = sql`(r.crawl_failures < ${SUSPECT_ATTEMPTS} OR NOT EXISTS (
      SELECT FROM reports own
      WHERE own.crawl_pending AND own.deleted_at IS NULL AND own.crawled_by = ${workerId}
        AND own.crawl_failures > ${SUSPECT_ATTEMPTS}))
    AND NOT r.crawl_hosts && ${hostsOfOthers(workerId)}`;
  const { rows } = await sql<ClaimedCrawl>`
    WITH RECURSIVE ${crawlCandidates(workerId, mayCrawl, caps)},
    claimed AS (
    UPDATE reports SET crawled_by = ${workerId}, crawl_claim_id = nextval('claim_ids'), crawl_failures = crawl_failures + 1,
      status = CASE status WHEN 'pending' THEN 'crawling' ELSE status END
    WHERE id = (
      SELECT r.id FROM candidates JOIN reports r ON r.id = candidates.id
      WHERE ${isWaitingCrawl}
      ORDER BY candidates.running, candidates.inserted_at
      LIMIT 1
      FOR UPDATE OF r SKIP LOCKED
    )
    RETURNING id AS "reportId", crawl_claim_id AS "claimId", old.status = 'pending' AS "isFirst",
      crawl_failures AS attempts, crawled_by AS "workerId", crawl_hosts AS hosts
    ),
    hosts AS (${claimHosts(sql`SELECT unnest(hosts), "workerId" FROM claimed`)})
    SELECT claimed.*, (SELECT coalesce(max("restMs"), 0) FROM hosts) AS "hostRestMs" FROM claimed`.execute(trx);
  return rows[0] ?? null;
}

/**
 * Gives a crawl back; where `crawl_pending` still stands, it will be taken up again.
 * @param counts whether this was an attempt; one that was only cut short, by an orderly end or by a database that was
 *   away, was none, even if the claim was lost with it
 */
export async function releaseCrawl(db: Executor, claim: CrawlClaim, counts: boolean): Promise<void> {
  const isCurrent = sql<boolean>`crawl_claim_id IS NOT DISTINCT FROM ${claim.claimId}`;
  await db
    .updateTable('reports')
    .set({
      crawled_by: sql`CASE WHEN ${isCurrent} THEN NULL ELSE crawled_by END`,
      crawl_claim_id: sql`CASE WHEN ${isCurrent} THEN NULL ELSE crawl_claim_id END`,
      ...(!counts && { crawl_failures: sql`greatest(crawl_failures - 1, 0)` }),
    })
    .where('id', '=', claim.reportId)
    .where(counts ? isCurrent : sql<boolean>`true`)
    .execute();
}
