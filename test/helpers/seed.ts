import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import {
  type Certainty,
  type CheckKind,
  type CheckStatus,
  type Impact,
  impactOrder,
  type Json,
} from '../../src/domain/check.ts';
import { countIssues, ISSUE_SUMS, NO_CHECKS } from '../../src/domain/counts.ts';
import type { DiscoveredUrl } from '../../src/domain/crawl.ts';
import type { Failure } from '../../src/domain/failures/failure.ts';
import { columnsOf, DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { packDocument } from '../../src/platform/packed-document.ts';
import type { Database } from '../../src/store/database.ts';
import { packOccurrences } from '../../src/store/issues/packed-occurrences.ts';
import { insertDocuments } from '../../src/store/pages/documents.ts';
import { countPages } from '../../src/store/pages/page-counts.ts';
import { saveDiscoveredUrls } from '../../src/store/reports/discovered-urls.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { siteFor } from '../../src/store/reports/sites.ts';
import type { NewReport } from '../../src/store/schema.ts';
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
  /** The frame's URL if it is not the page itself. */
  readonly url?: string;
}

export interface SeedCheck {
  readonly status: CheckStatus;
  readonly error?: Failure;
  readonly issues?: readonly SeedIssue[];
  /** The engine's own output; if given, the report stores raw checks of this kind. */
  readonly raw?: Json;
  /** The picture of the page's screenshot, of 400 by 300 pixels. */
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

/** Inserts a report with pages, checks and issues, with correct counts. */
export async function seedReport(
  db: Database,
  report: Partial<NewReport> & { readonly account_id: string },
  kinds: readonly CheckKind[],
  pages: readonly SeedPage[],
): Promise<Seeded> {
  const startingUrl = report.starting_url ?? pages[0]?.url ?? 'https://example.com/';
  const columns = columnsOf({ ...DEFAULT_DEFINITION, starting_url: startingUrl });
  const settings = { columns: { ...columns, ...report }, checks: kinds, signsIn: false };
  const siteId = await db.transaction().execute((trx) => siteFor(trx, report.account_id, settings));
  const { id: reportId } = await db
    .insertInto('reports')
    .values({
      ...columns,
      site_id: siteId,
      domain: new URL(startingUrl).hostname,
      status: 'finished',
      finished_at: new Date(),
      crawl_pending: false,
      num_pages: pages.length,
      ...report,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const pageIds = new Map<string, number>();
  const commonIds = new Map<string, number>();
  for (const page of pages) pageIds.set(page.url, await seedPage(db, reportId, page));
  for (const kind of kinds) await seedKindOfCheck(db, reportId, kind, pages, pageIds, commonIds);
  await db.transaction().execute(async (trx) => {
    const { checked, passed } = await countPages(trx, [...pageIds.values()]);
    const counts = { checked_pages: checked, passed_pages: passed };
    await trx.updateTable('reports').set(counts).where('id', '=', reportId).execute();
  });
  await seedDiscoveredUrls(db, reportId, pages.map(discoveredPage));
  return { reportId, pageIds, commonIds };
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

async function seedPage(db: Database, reportId: string, page: SeedPage): Promise<number> {
  const { id } = await db
    .insertInto('web_pages')
    .values({
      report_id: reportId,
      url: page.url,
      linked_from: page.linkedFrom ?? null,
      title: page.title ?? null,
      http_status: page.httpStatus === undefined ? 200 : page.httpStatus,
      content_type: 'text/html; charset=utf-8',
      headers: '[]',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function seedKindOfCheck(
  db: Database,
  reportId: string,
  kind: CheckKind,
  pages: readonly SeedPage[],
  pageIds: Map<string, number>,
  commonIds: Map<string, number>,
): Promise<void> {
  const sum = { ...NO_CHECKS };
  for (const [turn, page] of pages.entries()) {
    const check = page.checks[kind];
    const webPageId = pageIds.get(page.url) ?? 0;
    if (check === undefined) continue;
    const counts = countIssues(
      (check.issues ?? []).map(({ kind: { type, impact = null }, occurrences }) => ({
        type,
        impact,
        howMany: occurrences.length,
      })),
    );
    const row = { web_page_id: webPageId, kind, report_id: reportId, turn, status: check.status };
    await db
      .insertInto('checks')
      .values({ ...row, error: check.error === undefined ? null : JSON.stringify(check.error), ...counts })
      .execute();
    if (check.raw !== undefined) {
      const raw = zstdCompressSync(Buffer.from(JSON.stringify(check.raw)));
      await db.insertInto('raw_checks').values({ web_page_id: webPageId, kind, raw, omitted: 0 }).execute();
    }
    if (check.screenshot !== undefined) await seedScreenshot(db, webPageId, kind, check.screenshot);
    sum[check.status] += 1;
    if (check.status === 'checked' && counts.errors > 0) sum.with_errors += 1;
    for (const name of ISSUE_SUMS) sum[name] += counts[name];
    for (const [position, issue] of (check.issues ?? []).entries()) {
      const commonId = commonIds.get(issue.kind.message) ?? (await seedCommon(db, reportId, kind, issue.kind));
      commonIds.set(issue.kind.message, commonId);
      await seedIssue(db, { reportId, webPageId, kind, position, commonId, issue });
    }
  }
  await db
    .insertInto('report_checks')
    .values({
      report_id: reportId,
      kind,
      store_raw: pages.some(({ checks }) => checks[kind]?.raw !== undefined),
      ...sum,
    })
    .execute();
}

async function seedScreenshot(db: Database, webPageId: number, kind: CheckKind, image: Buffer): Promise<void> {
  const hash = createHash('sha256').update(image).digest();
  await db
    .insertInto('screenshot_images')
    .values({ hash, image, width: 400, height: 300 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const taken = { scale: 0.5, clipped: false, taken_at: new Date('2026-01-31T23:59:59Z') };
  await db
    .insertInto('screenshots')
    .values({ web_page_id: webPageId, kind, image_hash: hash, ...taken })
    .execute();
}

/** Makes keys unique. */
let commonIssues = 0;

async function seedCommon(db: Database, reportId: string, kind: CheckKind, issue: SeedIssueType): Promise<number> {
  const { id } = await db
    .insertInto('common_issues')
    .values({
      report_id: reportId,
      kind,
      key: Buffer.from(String(commonIssues++).padStart(32, '0')),
      fingerprint: Buffer.from(identityOf(JSON.stringify([kind, issue]), '', 0).kind, 'hex'),
      issue_type: issue.type,
      issue_sub_type: issue.subType ?? null,
      message: issue.message,
      rule_id: issue.ruleId ?? null,
      help_url: issue.helpUrl ?? null,
      impact: issue.impact ?? null,
      impact_order: issue.impact === undefined ? 0 : impactOrder(issue.impact),
      tags: [...(issue.tags ?? [])],
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

interface IssueOccurrence {
  readonly reportId: string;
  readonly webPageId: number;
  readonly kind: CheckKind;
  readonly position: number;
  readonly commonId: number;
  readonly issue: SeedIssue;
}

async function seedIssue(db: Database, occurrence: IssueOccurrence): Promise<void> {
  const { occurrences, clusters, url, kind } = occurrence.issue;
  const identity = identityOf(
    JSON.stringify(kind),
    `${occurrence.webPageId} ${occurrence.kind} ${occurrence.position}`,
    occurrences.length,
  );
  await db
    .insertInto('issues')
    .values({
      common_issue_id: occurrence.commonId,
      report_id: occurrence.reportId,
      web_page_id: occurrence.webPageId,
      kind: occurrence.kind,
      position: occurrence.position,
      url: url ?? null,
      how_many: occurrences.length,
      occurrences: packOccurrences(occurrences),
      fingerprints: Buffer.from(identity.occurrences),
      clusters: clusters === undefined ? Buffer.from(identity.clusters) : Buffer.from(clusters.join(''), 'hex'),
      traces: Buffer.from(identity.traces),
    })
    .execute();
  await db
    .updateTable('common_issues')
    .set((eb) => ({
      how_many: eb('how_many', '+', occurrences.length),
      num_web_pages: eb('num_web_pages', '+', 1),
    }))
    .where('id', '=', occurrence.commonId)
    .execute();
}
