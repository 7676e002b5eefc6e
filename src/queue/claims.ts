import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { ConsentChoice } from '../domain/consent.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import { type Executor, inTransaction, keepPlans } from '../store/database.ts';
import { NEEDS_BROWSER } from '../store/reports/needs-browser.ts';
import {
  type CheckSearch,
  type CheckShares,
  type CrawlCaps,
  checkShares,
  crawlCandidates,
  groupOfPages,
  isFreeCheck,
  isWaitingCrawl,
} from './fair-shares.ts';
import { claimHosts, hostsOfOthers, lockCrawlClaims } from './host-claims.ts';

/** A check that this process has claimed. */
export interface ClaimedCheck {
  readonly webPageId: number;
  readonly reportId: string;
  /** The account that the check is charged to. */
  readonly payerId: string;
  /** Results are saved only while this is the current claim. */
  readonly claimId: number;
  /** Number of claims since the check last ended, including this one. */
  readonly attempts: number;
  readonly url: string;
  /** The URL of its document: the same as `url`, except at a mark of a journey. */
  readonly documentUrl: string;
  readonly httpStatus: number;
  readonly contentType: string;
  readonly headers: readonly [string, string][];
  /** The document, compressed with zstd. */
  readonly compressedBody: Buffer;
  readonly documentHash: Buffer;
  /** The output of the engine at a mark of a journey, compressed with zstd; null if it is yet to be collected. */
  readonly collected: Buffer | null;
  /** The owner of the report. */
  readonly accountId: string;
  /** Whether an earlier result of the same page may be reused: it is not a re-check, and the report allows it. */
  readonly mayReuse: boolean;
  /** Whether the page may have been checked before: it is a re-check, or its site has other reports. */
  readonly mayHaveEarlier: boolean;
  /** Null for the default device. */
  readonly deviceId: string | null;
  readonly deviceRotated: boolean;
  /** The CSS selector of an element to wait for; null to wait until the page stops changing. */
  readonly waitFor: string | null;
  /** Behind a login, whether requests from pages that may change something are blocked. */
  readonly blocksWrites: boolean;
  /** Whether elements that open something, such as menus, are opened. */
  readonly exploresStates: boolean;
  /** The choice to make in consent banners; null for none. */
  readonly consent: ConsentChoice | null;
  /** Whether this is the page that is checked with its banner. */
  readonly keepsBanner: boolean;
  /** The standard whose rules run; null for the default rules. */
  readonly standard: string | null;
  readonly storesRaw: boolean;
  readonly storesScreenshots: boolean;
  /** Whether it is the first page of a report that belongs to the history of its site. */
  readonly isStartPage: boolean;
  /** Requests per second to the site. */
  readonly rateLimit: number;
  readonly exclusions: readonly string[];
  readonly startingUrl: string;
  readonly siteUrl: string | null;
  /** The encrypted credentials for the site, if any. */
  readonly siteAccess: Buffer | null;
  /** Selectors of the mutings of the report and its account. */
  readonly mutedSelectors: readonly string[];
}

/**
 * Claims up to `limit` free checks, from the accounts with the fewest under way. Within an account, claims the first pages of
 * each report first, so that a report of ten pages does not wait for one of ten thousand.
 * @param except accounts whose checks are left out
 * @param search `onward` may find nothing although checks are free
 */
export function claimChecks(
  db: Executor,
  kind: CheckKind,
  workerId: number,
  limit: number,
  except: readonly string[] = [],
  search: CheckSearch = 'all',
): Promise<ClaimedCheck[]> {
  return inTransaction(db, async (trx) => {
    await keepPlans(trx);
    const claimed: ClaimedCheck[] = [];
    const exhausted = [...except];
    // The rest of a share goes to the other accounts, even if a whole round claims nothing: checks may be locked by another
    // process, or belong to a deleted report.
    while (claimed.length < limit) {
      const shares = await claimShares(trx, { kind, limit: limit - claimed.length, search }, workerId, exhausted);
      if (shares.length === 0) break;
      for (const { payerId, share, checks } of shares) {
        claimed.push(...checks);
        if (checks.length < share) exhausted.push(payerId);
      }
    }
    return claimed;
  });
}

/** The share of an account in a batch, and the checks that were claimed for it. */
interface ClaimedShare {
  readonly payerId: string;
  readonly share: number;
  readonly checks: readonly ClaimedCheck[];
}

/** @returns one entry for each account with a share; none if only exhausted accounts have waiting checks */
async function claimShares(
  db: Executor,
  { kind, limit, search }: CheckShares,
  workerId: number,
  exhausted: readonly string[],
): Promise<ClaimedShare[]> {
  type Row = Pick<ClaimedShare, 'payerId' | 'share'> & (ClaimedCheck | { readonly webPageId: null });
  const canRun = sql`NOT EXISTS (SELECT FROM reports r WHERE r.id = c.report_id AND r.deleted_at IS NOT NULL)`;
  // Usually every account can fill its share, and this lookup is not needed. Once an account could not, the lookup keeps the
  // number of rounds low, even if many accounts have only checks of deleted reports.
  const waits = exhausted.length === 0 ? sql`true` : canRun;
  const isOnward = search === 'all' ? sql`true` : sql`${groupOfPages('c.turn')} >= shares.first_group`;
  const { rows } = await sql<Row>`
    WITH RECURSIVE ${checkShares({ kind, limit, search }, waits, exhausted)},
    next AS (
      SELECT free.web_page_id FROM shares CROSS JOIN LATERAL (
        SELECT c.web_page_id FROM checks c
        WHERE c.kind = ${kind} AND ${isFreeCheck} AND c.payer_id = shares.payer_id AND ${isOnward} AND ${canRun}
        ORDER BY ${groupOfPages('c.turn')}, c.report_id, c.turn
        LIMIT shares.share
        FOR NO KEY UPDATE SKIP LOCKED
      ) AS free
      -- The shares are not more. PostgreSQL would expect thousands of rows, and read the whole tables.
      LIMIT ${sql.lit(2 ** Math.ceil(Math.log2(limit)))}
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
        c.attempts, p.url, coalesce(p.reached_url, p.url) AS "documentUrl", c.collected, p.http_status AS "httpStatus", coalesce(p.content_type, '') AS "contentType", p.headers,
        d.body AS "compressedBody", d.hash AS "documentHash", r.account_id AS "accountId", r.reuse AND c.may_reuse AS "mayReuse",
        c.before_document IS NOT NULL OR EXISTS (
          SELECT FROM reports o WHERE o.site_id = r.site_id AND o.id <> r.id AND o.deleted_at IS NULL) AS "mayHaveEarlier",
        r.device_id AS "deviceId", r.device_rotated AS "deviceRotated", r.wait_for AS "waitFor", r.block_writes AS "blocksWrites",
        r.explore_states AS "exploresStates", r.consent, c.turn = 1 AND r.max_pages > 1 AS "keepsBanner",
        r.tested_standard AS standard,
        r.rate_limit AS "rateLimit", r.exclusions,
        rc.store_raw AS "storesRaw", r.store_screenshots AS "storesScreenshots",
        c.turn = 1 AND p.reached_url IS NULL AND NOT r.temporary AS "isStartPage", r.starting_url AS "startingUrl", r.site_url AS "siteUrl", r.site_access AS "siteAccess",
        ARRAY(SELECT DISTINCT m.selector FROM mutings m WHERE m.selector IS NOT NULL AND m.deleted_at IS NULL AND NOT m.expired
          AND (m.report_id = r.id OR m.report_id IS NULL AND m.account_id IN (r.account_id, r.payer_id))) AS "mutedSelectors"
    )
    SELECT shares.payer_id AS "payerId", shares.share, claimed.* FROM shares LEFT JOIN claimed USING (payer_id)
    ORDER BY ${groupOfPages('claimed.turn')}, claimed."reportId", claimed.turn`.execute(db);
  return [...Map.groupBy(rows, ({ payerId }) => payerId)].map(([payerId, group]) => ({
    payerId,
    share: group[0]?.share ?? 0,
    checks: group.filter((row) => row.webPageId !== null),
  }));
}

/** Why a check is released: before it was started, while it was running, or because it may have broken its engine. */
export type ReleaseReason = 'unstarted' | 'interrupted' | 'suspected';

/**
 * Releases a check. Its attempt counts only if it is suspected: a page that breaks every engine must eventually fail. If the
 * claim was lost in the meantime, only undoes `recordStart`.
 */
export async function releaseCheck(
  db: Executor,
  kind: CheckKind,
  check: Pick<ClaimedCheck, 'webPageId' | 'claimId' | 'attempts'>,
  reason: ReleaseReason,
): Promise<void> {
  const isCurrent = sql<boolean>`claim_id IS NOT DISTINCT FROM ${check.claimId}`;
  const wasRecorded = reason === 'interrupted' && check.attempts > 1;
  await db
    .updateTable('checks')
    .set({
      claimed_by: sql`CASE WHEN ${isCurrent} THEN NULL ELSE claimed_by END`,
      claim_id: sql`CASE WHEN ${isCurrent} THEN NULL ELSE claim_id END`,
      ...(reason !== 'suspected' && { attempts: sql`attempts - CASE WHEN ${isCurrent} THEN 1 ELSE 0 END` }),
      ...(wasRecorded && { begun_claims: sql`array_remove(begun_claims, ${check.claimId})` }),
    })
    .where('web_page_id', '=', check.webPageId)
    .where('kind', '=', kind)
    .where('status', '=', 'pending')
    .where(wasRecorded ? sql<boolean>`true` : isCurrent)
    .execute();
}

/** Returns the claimed checks whose claims are lost, or whose reports are deleted: their results are not saved. */
export function lostChecks<Check extends Pick<ClaimedCheck, 'webPageId' | 'claimId'>>(
  db: Executor,
  kind: CheckKind,
  claimed: readonly Check[],
): Promise<Check[]> {
  const ids = claimed.map(({ webPageId }) => webPageId);
  return withoutClaim(
    db,
    claimed,
    sql`SELECT c.claim_id FROM checks c JOIN reports r ON r.id = c.report_id
      WHERE c.web_page_id = ANY(${ids}) AND c.kind = ${kind} AND r.deleted_at IS NULL`,
  );
}

/** The same for crawls. */
export function lostCrawls<Crawl extends CrawlClaim>(db: Executor, claimed: readonly Crawl[]): Promise<Crawl[]> {
  const ids = claimed.map(({ reportId }) => reportId);
  return withoutClaim(
    db,
    claimed,
    sql`SELECT crawl_claim_id AS claim_id FROM reports WHERE id = ANY(${ids}) AND deleted_at IS NULL`,
  );
}

/** @param current selects the current claims of the same rows */
async function withoutClaim<Piece extends { readonly claimId: number }>(
  db: Executor,
  claimed: readonly Piece[],
  current: RawBuilder<unknown>,
): Promise<Piece[]> {
  const { rows } = await sql<{ claim_id: number | null }>`${current}`.execute(db);
  const held = new Set(rows.map(({ claim_id }) => claim_id));
  return claimed.filter(({ claimId }) => !held.has(claimId));
}

/**
 * Records the start of a check that was claimed before and never ended. The number of claims is not enough to blame the page: the
 * process may have died of another page while this page was waiting. Idempotent.
 * @returns the number of such starts, including this one; null if the claim is no longer current
 */
export async function recordStart(
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

/** After this many claims without progress, a crawl may be what kills the processes that run it. */
const SUSPECT_ATTEMPTS = 3;

export interface ClaimedCrawl extends CrawlClaim {
  /** Number of claims since the crawl last made progress, including this one. */
  readonly attempts: number;
  readonly workerId: number;
  /** The account that the crawl is charged to. */
  readonly payerId: string;
  /** The hosts that were claimed with it. */
  readonly hosts: readonly string[];
  /** Milliseconds to wait before requests to these hosts, because another worker has just lost one of them. */
  readonly hostRestMs: number;
}

/**
 * Claims a waiting report and its hosts: the oldest one of the account with the fewest reports being crawled. Skips reports with
 * a host of another living worker. A process crawls one suspect report at a time, so that other reports are not killed with it
 * repeatedly.
 * @param options.caps limits on the reports that are crawled at a time. Default: none
 * @param options.hasBrowser whether reports that need the browser are claimed, too. Default: true
 * @param options.onLocked called if there is a report to claim, but another transaction has locked it
 * @returns null if no report can be claimed
 */
export async function claimCrawl(
  db: Executor,
  workerId: number,
  { onLocked, ...options }: CrawlSearch & { readonly onLocked?: () => void } = {},
): Promise<ClaimedCrawl | null> {
  // All workers look for crawls every few seconds, and usually there are none: this check saves them from waiting for each other.
  if ((await sql`SELECT FROM reports r WHERE ${isWaitingCrawl} LIMIT 1`.execute(db)).rows.length === 0) return null;
  const { crawl, isAnyWaiting } = await inTransaction(db, async (trx) => {
    // Without this lock, two processes that count the running crawls at the same time could exceed the limits.
    await lockCrawlClaims(trx);
    await keepPlans(trx);
    return claimNextCrawl(trx, workerId, options);
  });
  if (crawl === null && isAnyWaiting) onLocked?.();
  return crawl;
}

/** Returns whether a report waits for a process with a browser. */
export async function isWaitingForBrowser(db: Executor): Promise<boolean> {
  const { rows } = await sql`SELECT FROM reports r WHERE ${isWaitingCrawl} AND ${NEEDS_BROWSER} LIMIT 1`.execute(db);
  return rows.length > 0;
}

interface CrawlSearch {
  readonly caps?: CrawlCaps;
  readonly hasBrowser?: boolean;
}

async function claimNextCrawl(
  trx: Executor,
  workerId: number,
  { caps, hasBrowser = true }: CrawlSearch,
): Promise<{ readonly crawl: ClaimedCrawl | null; readonly isAnyWaiting: boolean }> {
  const mayCrawl = sql`(r.crawl_failures < ${SUSPECT_ATTEMPTS} OR NOT EXISTS (
      SELECT FROM reports own
      WHERE own.crawl_pending AND own.deleted_at IS NULL AND own.crawled_by = ${workerId}
        AND own.crawl_failures > ${SUSPECT_ATTEMPTS}))
    AND NOT r.crawl_hosts && ${hostsOfOthers(workerId)}
    AND ${hasBrowser ? sql`true` : sql`NOT ${NEEDS_BROWSER}`}`;
  const { rows } = await sql<(ClaimedCrawl | { readonly reportId: null }) & { readonly isAnyWaiting: boolean }>`
    WITH RECURSIVE ${crawlCandidates(workerId, mayCrawl, caps)},
    claimed AS (
    UPDATE reports SET crawled_by = ${workerId}, crawl_claim_id = nextval('claim_ids'), crawl_failures = crawl_failures + 1,
      status = CASE status WHEN 'pending' THEN 'crawling' ELSE status END
    WHERE id = (
      SELECT r.id FROM candidates JOIN reports r ON r.id = candidates.id
      WHERE ${isWaitingCrawl}
      ORDER BY candidates.running, candidates.inserted_at
      LIMIT 1
      FOR NO KEY UPDATE OF r SKIP LOCKED
    )
    RETURNING id AS "reportId", crawl_claim_id AS "claimId", old.status = 'pending' AS "isFirst",
      crawl_failures AS attempts, crawled_by AS "workerId", payer_id AS "payerId", crawl_hosts AS hosts
    ),
    hosts AS (${claimHosts(sql`SELECT unnest(hosts), "workerId" FROM claimed`)})
    SELECT claimed.*, (SELECT coalesce(max("restMs"), 0) FROM hosts) AS "hostRestMs", EXISTS (SELECT FROM candidates) AS "isAnyWaiting"
    FROM (SELECT) AS one LEFT JOIN claimed ON true`.execute(trx);
  const { isAnyWaiting = false, ...crawl } = rows[0] ?? { reportId: null };
  return { crawl: crawl.reportId === null ? null : crawl, isAnyWaiting };
}

/**
 * Releases a crawl. It will be claimed again if it is still pending.
 * @param counts whether this counts as an attempt; not if it was interrupted by a shutdown or an outage of the database, even if
 *   the claim was lost
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
