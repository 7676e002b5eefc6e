import { sql, type Transaction } from 'kysely';
import type { Certainty, CheckKind, CheckStatus, Impact, IssueIdentity, Json } from '../../src/domain/check.ts';
import { countCheck } from '../../src/domain/counts.ts';
import type { DiscoveredUrl } from '../../src/domain/crawl.ts';
import type { Failure } from '../../src/domain/failures/failure.ts';
import { columnsOf, DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { FINGERPRINT_BYTES } from '../../src/issues/identity.ts';
import { packDocument } from '../../src/platform/packed-document.ts';
import { slicesOf } from '../../src/platform/slices.ts';
import type { Database } from '../../src/store/database.ts';
import { type PackedIssue, packIssue } from '../../src/store/issues/packed-issues.ts';
import { ROWS_PER_STATEMENT } from '../../src/store/issues/write-issues.ts';
import type { CheckOutcome, CheckResult } from '../../src/store/pages/check-outcome.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { insertDocuments } from '../../src/store/pages/documents.ts';
import { countPages } from '../../src/store/pages/page-counts.ts';
import { packRawCheck, saveRawChecks } from '../../src/store/pages/raw-checks.ts';
import { saveDiscoveredUrls } from '../../src/store/reports/discovered-urls.ts';
import { type ReportTransaction, reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { recordEnd } from '../../src/store/reports/results-at-end.ts';
import { siteFor, useSite } from '../../src/store/reports/sites.ts';
import type { NewReport, Schema } from '../../src/store/schema.ts';
import { ANSWERED_404 } from './failures.ts';
import { identityOf } from './identities.ts';

/** An issue type in a report. */
export interface SeedIssueType {
  readonly type: Certainty;
  readonly message: string;
  readonly subType?: string;
  readonly ruleId?: string;
  readonly helpUrl?: string;
  readonly impact?: Impact;
  readonly tags?: readonly string[];
}

export interface SeedIssue {
  readonly kind: SeedIssueType;
  readonly occurrences: readonly Json[];
  /** The cluster of each occurrence, in hexadecimal; the same for all of the kind if absent. */
  readonly clusters?: readonly string[];
  /** What identifies the occurrences, and how many they are, if they are more than the occurrences; made up if absent. */
  readonly identity?: IssueIdentity;
  /** The frame's URL if it is not the page itself. */
  readonly url?: string;
}

export interface SeedCheck {
  readonly status: CheckStatus;
  readonly error?: Failure;
  readonly issues?: readonly SeedIssue[];
  /** The engine's own output; if given, the report stores raw checks of this kind. */
  readonly raw?: Json;
  /** The image of the page's screenshot, of 400 by 300 pixels. */
  readonly screenshot?: Buffer;
}

export interface SeedPage {
  readonly url: string;
  readonly linkedFrom?: string | null;
  readonly title?: string | null;
  readonly httpStatus?: number | null;
  readonly checks: Readonly<Partial<Record<CheckKind, SeedCheck>>>;
}

export interface Seeded {
  readonly reportId: string;
  /** By URL. */
  readonly pageIds: ReadonlyMap<string, number>;
  /** By message. */
  readonly commonIds: ReadonlyMap<string, number>;
}

/**
 * Makes a report with pages, checks and issues. The service counts them, and applies mutings, as it does when checks end. A
 * service that runs sees all of it at once, in the state that the test asks for.
 */
export function seedReport(db: Database, ...what: Seed): Promise<Seeded> {
  return db.transaction().execute((trx) => seedIn(trx, ...what));
}

type Seed = [
  report: Partial<Omit<NewReport, 'payer_id'>> & { readonly account_id: string },
  kinds: readonly CheckKind[],
  pages: readonly SeedPage[],
];

async function seedIn(trx: Transaction<Schema>, ...[report, kinds, pages]: Seed): Promise<Seeded> {
  const startingUrl = report.starting_url ?? pages[0]?.url ?? 'https://example.com/';
  const columns = columnsOf({ ...DEFAULT_DEFINITION, starting_url: startingUrl });
  const definition = { ...columnsOf({ ...columns, ...report, journeys: [] }), checks: kinds, store_raw_checks: [] };
  const settings = { definition, seal: () => null, signsIn: false };
  const siteId = await siteFor(trx, report.account_id, settings);
  await useSite(trx, siteId, report.schedule_id === undefined ? settings : undefined);
  const state = { status: 'finished', finished_at: new Date(), crawl_pending: false, ...report } as const;
  const hostId = sql`SELECT host_id FROM guest_accounts WHERE id = ${report.guest_account_id ?? null}`;
  const payerId = sql<string>`coalesce((${hostId}), ${report.account_id})`;
  const { id: reportId } = await trx
    .insertInto('reports')
    .values({
      ...{ ...columns, journeys: '[]' },
      tested_standard: report.standard ?? null,
      ...{ site_id: siteId, payer_id: payerId, domain: new URL(startingUrl).hostname, num_pages: pages.length },
      ...state,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = kinds.map((kind) => {
    const isRawStored = pages.some(({ checks }) => checks[kind]?.raw !== undefined);
    return { report_id: reportId, kind, store_raw: isRawStored };
  });
  if (rows.length > 0) await trx.insertInto('report_checks').values(rows).execute();
  const pageIds = (await reportTransaction(trx, reportId, (change) => seedPages(change, kinds, pages))) ?? new Map();
  for (const kind of kinds) await seedResults(trx, reportId, kind, pages, pageIds);
  // The state that the test asks for, regardless of its checks. Its insights are computed when a test wants them.
  await trx
    .updateTable('reports')
    .set({ ...state, first_finished_at: state.status === 'failed' ? null : state.finished_at, insights_pending: false })
    .where('id', '=', reportId)
    .execute();
  if (state.finished_at !== null) await recordEnd(trx, reportId);
  return { reportId, pageIds, commonIds: await commonIdsOf(trx, reportId) };
}

/** Stores the document of a page. */
export async function seedDocument(
  db: Database,
  webPageId: number,
  bytes: Uint8Array,
  contentType = 'text/html',
): Promise<void> {
  const document = await packDocument(bytes);
  await insertDocuments(db, [document]);
  const columns = { document_hash: document.hash, content_type: contentType, fetched_at: new Date() };
  await db.updateTable('web_pages').set(columns).where('id', '=', webPageId).execute();
}

/** Inserts discovered URLs into a report. */
export async function seedDiscoveredUrls(
  db: Database,
  reportId: string,
  urls: readonly DiscoveredUrl[],
): Promise<void> {
  await reportTransaction(db, reportId, async (change) => {
    await saveDiscoveredUrls(change, urls);
    change.markUnchanged();
  });
}

function discoveredPage({ url, linkedFrom = null, httpStatus = 200 }: SeedPage, position: number): DiscoveredUrl {
  const isFailed = httpStatus === null || httpStatus >= 400;
  const more = { depth: position === 0 ? 0 : 1, target: null, detail: isFailed ? ANSWERED_404 : null };
  return { position, url, linkedFrom, outcome: isFailed ? 'failed' : 'page', httpStatus, ...more };
}

/** Inserts pages, whose checks are pending. @returns the ids of the pages, by URL */
async function seedPages(
  change: ReportTransaction,
  kinds: readonly CheckKind[],
  pages: readonly SeedPage[],
): Promise<ReadonlyMap<string, number>> {
  const { trx, reportId } = change;
  const ids = new Map<string, number>();
  for (const slice of slicesOf(pages, ROWS_PER_STATEMENT)) {
    const rows = slice.map(({ url, linkedFrom = null, title = null, httpStatus = 200 }) => {
      const answer = { http_status: httpStatus, content_type: 'text/html; charset=utf-8', headers: '[]' };
      return { report_id: reportId, url, linked_from: linkedFrom, title, ...answer };
    });
    const inserted = await trx.insertInto('web_pages').values(rows).returning(['id', 'url']).execute();
    for (const { id, url } of inserted) ids.set(url, id);
  }
  const ofReport = { report_id: reportId, payer_id: change.payerId, status: 'pending' } as const;
  const checks = pages.flatMap(({ url, checks: wanted }, turn) =>
    kinds
      .filter((kind) => wanted[kind] !== undefined)
      .map((kind) => ({ ...ofReport, web_page_id: ids.get(url) ?? 0, kind, turn })),
  );
  for (const slice of slicesOf(checks, ROWS_PER_STATEMENT)) await trx.insertInto('checks').values(slice).execute();
  for (const { kind } of checks) change.count(kind, { pending: 1 });
  await saveDiscoveredUrls(change, pages.map(discoveredPage));
  return ids;
}

/** Ends the checks of a kind that are not pending, or were not before they became so. */
async function seedResults(
  db: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  pages: readonly SeedPage[],
  pageIds: ReadonlyMap<string, number>,
): Promise<void> {
  const given = pages.flatMap(({ url, checks }) => {
    const check = checks[kind];
    return check === undefined ? [] : [{ check, url, webPageId: pageIds.get(url) ?? 0 }];
  });
  const results = given
    .filter(({ check: { status, issues = [] } }) => status !== 'pending' || issues.length > 0)
    .map(({ check, url, webPageId }): CheckResult => {
      const { status, error = ANSWERED_404 } = check;
      const outcome = status === 'failed' ? { error } : outcomeOf(kind, check, { url, webPageId });
      return { webPageId, claimId: null, outcome };
    });
  for (const slice of slicesOf(results, ROWS_PER_STATEMENT)) await saveCheckResults(db, reportId, kind, slice);
  const raw = given.flatMap(({ check, webPageId }) =>
    check.raw === undefined ? [] : { webPageId, ...packRawCheck({ json: JSON.stringify(check.raw), omitted: 0 }) },
  );
  // Not with the results, which would take the credits of accounts that have few.
  if (raw.length > 0) await reportTransaction(db, reportId, (change) => saveRawChecks(change, kind, raw));
  const again = given.filter(({ check: { status, issues = [] } }) => status === 'pending' && issues.length > 0);
  const ids = again.map(({ webPageId }) => webPageId);
  if (ids.length > 0) await reportTransaction(db, reportId, (change) => makePending(change, kind, ids));
}

function outcomeOf(
  kind: CheckKind,
  { issues = [], screenshot }: SeedCheck,
  { url, webPageId }: { readonly url: string; readonly webPageId: number },
): CheckOutcome {
  const taken = { width: 400, height: 300, scale: 0.5, clipped: false, takenAt: new Date('2026-01-31T23:59:59Z') };
  return {
    issues: issues.map((issue, position) => packed(kind, { url, ...issue }, `${webPageId} ${kind} ${position}`)),
    ...(screenshot !== undefined && { screenshot: { image: screenshot, ...taken } }),
  };
}

/** @param name differs for each issue */
function packed(
  checkKind: CheckKind,
  { kind, occurrences, clusters, identity, url }: SeedIssue & { readonly url: string },
  name: string,
): PackedIssue {
  const { type, subType = null, message, ruleId = null, helpUrl = null, impact = null, tags = [] } = kind;
  const madeUp = {
    ...identityOf(JSON.stringify(kind), name, occurrences.length),
    kind: identityOf(JSON.stringify([checkKind, kind]), '', 0).kind,
    ...(clusters !== undefined && { clusters: Buffer.from(clusters.join(''), 'hex') }),
  };
  const howMany = identity === undefined ? occurrences.length : identity.occurrences.length / FINGERPRINT_BYTES;
  const found = { type, subType, message, ruleId, helpUrl, impact, tags, url, occurrences, howMany };
  return packIssue({ ...found, identity: identity ?? madeUp });
}

/** Leaves checks as while they run again: they have the issues of their last result. */
async function makePending(change: ReportTransaction, kind: CheckKind, webPageIds: readonly number[]): Promise<void> {
  const { trx } = change;
  change.uncountPages(await countPages(trx, webPageIds));
  const checks = trx.selectFrom('checks').where('kind', '=', kind).where('web_page_id', 'in', webPageIds);
  for (const sums of await checks.select(['errors', 'critical_errors', 'serious_errors']).execute()) {
    change.uncount(kind, countCheck({ status: 'checked', ...sums }));
    change.count(kind, { pending: 1 });
  }
  const pending = trx.updateTable('checks').set({ status: 'pending' });
  await pending.where('kind', '=', kind).where('web_page_id', 'in', webPageIds).execute();
}

/** @returns the ids of the common issues of a report, by message */
async function commonIdsOf(db: Transaction<Schema>, reportId: string): Promise<ReadonlyMap<string, number>> {
  const common = db.selectFrom('common_issues').select(['id', 'message']).where('report_id', '=', reportId);
  return new Map((await common.execute()).map(({ id, message }) => [message, id]));
}
