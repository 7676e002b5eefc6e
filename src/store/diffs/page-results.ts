import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { DecidedAs } from '../../domain/decision.ts';
import { COMPARED_OCCURRENCES_MAX } from '../../issues/diff-pages.ts';
import type { Executor } from '../database.ts';
import { checksAt, issuesAt, pagesAt, type ResultsAt, typedIssuesAt } from '../reports/results-at-end.ts';

/** Results of the checks of pages, in the form in which diffs of reports read them. */

/** One kind of check of a page. */
export interface CheckResults {
  /** The state of the report in which its issues are. */
  readonly at: ResultsAt;
  /** Identifies the document; the same for the same bytes and media type. */
  readonly document: string;
  readonly engineVersion: string | null;
  /** In hexadecimal; null if they are not known. */
  readonly resources: string | null;
  /** Occurrences of all its issues, without muted ones. */
  readonly howMany: number;
  readonly howManyMuted: number;
  /** Without muted ones. */
  readonly issues: IssueResult[];
}

/** An issue of a page. */
export interface IssueResult {
  readonly id: number;
  readonly commonIssue: number;
  readonly fingerprint: string;
  readonly occurrences: Uint8Array;
  readonly traces: Uint8Array;
}

/** The checks of a page that have a result. */
export interface PageResults {
  readonly id: number;
  readonly url: string;
  readonly checks: ReadonlyMap<CheckKind, CheckResults>;
}

/** Returns the next URLs of a report's pages, in order. */
export async function nextUrls(db: Executor, reportId: string, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    SELECT url FROM web_pages WHERE report_id = ${reportId} AND url > ${after}
    ORDER BY url LIMIT ${limit}`.execute(db);
  return rows.map(({ url }) => url);
}

/** The issue types of one kind of check to read; others are left out. */
export interface ChosenIssueTypes {
  readonly kind: CheckKind;
  /** The fingerprints of the issue types as the check found them. */
  readonly found: readonly Buffer[];
}

/**
 * Chooses the issue types of a report with some fingerprints, as the check found them: other reports may have other decisions.
 */
export async function chooseIssueTypes(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  fingerprints: readonly Buffer[],
): Promise<ChosenIssueTypes> {
  const { rows } = await sql<{ found: Buffer }>`
    SELECT DISTINCT coalesce(found_fingerprint, fingerprint) AS found FROM common_issues
    WHERE report_id = ${reportId} AND kind = ${kind} AND fingerprint = ANY(${fingerprints})`.execute(db);
  return { kind, found: rows.map(({ found }) => found) };
}

/** Returns the results of pages by URL. */
export async function pageResults(
  db: Executor,
  reportId: string,
  urls: readonly string[],
): Promise<Map<string, PageResults>> {
  const pages = await checkedPages(db, reportId, urls);
  for (const [check, issues] of await issuesOfPages(db, [...pages.values()])) {
    for (const { id, commonIssue, muted, isOutside: _, decided: _decided, found: _found, ...issue } of issues) {
      if (id !== null && commonIssue !== null && !muted) check.issues.push({ ...issue, id, commonIssue });
    }
  }
  return pages;
}

/** Returns the issues of pages that `checkedPages` has returned without them, like `readIssues`. */
export function issuesOfPages(
  db: Executor,
  pages: readonly PageResults[],
): Promise<ReadonlyMap<CheckResults, ReadIssue[]>> {
  const checks = pages.flatMap(({ id, checks: of }) => [...of].map(([kind, check]) => ({ page: id, kind, check })));
  return readIssues(db, checks);
}

/** A check of a page whose issues are wanted. */
interface CheckToRead {
  /** The id of the page. */
  readonly page: number;
  readonly kind: CheckKind;
  readonly check: CheckResults;
}

/** An issue of a check; the ids are null if the issue has been replaced since the report's end. */
export interface ReadIssue extends Omit<IssueResult, 'id' | 'commonIssue'> {
  readonly id: number | null;
  readonly commonIssue: number | null;
  readonly muted: boolean;
  /** Whether it is muted because its rule does not belong to the report's standard. */
  readonly isOutside: boolean;
  readonly decided: DecidedAs | null;
  /** Fingerprint of the issue type as the check found it, in hexadecimal: the same regardless of decisions. */
  readonly found: string;
}

/** Returns the issues of checks that `checkedPages` has returned without them, including muted ones unless there are too many. */
export async function readIssues(
  db: Executor,
  checks: readonly CheckToRead[],
  only?: ChosenIssueTypes,
): Promise<ReadonlyMap<CheckResults, ReadIssue[]>> {
  const issues = new Map<CheckResults, ReadIssue[]>();
  for (const [at, some] of Map.groupBy(checks, ({ check }) => check.at)) {
    const { rows } = await sql<ReadIssue & Pick<CheckToRead, 'page' | 'kind'>>`
      SELECT i.web_page_id AS page, i.kind, i.id, i.common_issue_id AS "commonIssue",
        encode(i.type_fingerprint, 'hex') AS fingerprint, i.fingerprints AS occurrences, i.traces, i.muted,
        i.outside_standard AS "isOutside", i.decided,
        encode(i.found_fingerprint, 'hex') AS found
      FROM ${issuesOf(some, at)} WHERE (NOT i.muted OR c.with_muted) AND ${isOneOf(only)}`.execute(db);
    const byCheck = Map.groupBy(rows, ({ page, kind }) => `${page} ${kind}`);
    for (const { page, kind, check } of some) issues.set(check, byCheck.get(`${page} ${kind}`) ?? []);
  }
  return issues;
}

/** Builds the tables `c` of checks and `i` of their issues, for `FROM`. */
function issuesOf(
  checks: readonly (Pick<CheckToRead, 'page' | 'kind'> & Partial<CheckToRead>)[],
  at: ResultsAt,
): RawBuilder<unknown> {
  const withMuted = checks.map(({ check }) => (check?.howManyMuted ?? 0) <= COMPARED_OCCURRENCES_MAX);
  return sql`unnest(${checks.map(({ page }) => page)}::bigint[], ${checks.map(({ kind }) => kind)}::text[], ${withMuted}::boolean[])
      AS c (page, kind, with_muted)
    JOIN ${typedIssuesAt(at)} i ON i.web_page_id = c.page AND i.kind = c.kind`;
}

/** Counts the occurrences of the issues of checks that are not muted, for each issue. */
export async function countIssues(
  db: Executor,
  checks: readonly Pick<CheckToRead, 'page' | 'kind'>[],
  at: ResultsAt,
): Promise<
  { readonly page: number; readonly kind: CheckKind; readonly fingerprint: string; readonly howMany: number }[]
> {
  if (checks.length === 0) return [];
  const { rows } = await sql<{ page: number; kind: CheckKind; fingerprint: string; howMany: number }>`
    SELECT c.page, c.kind, encode(i.type_fingerprint, 'hex') AS fingerprint, octet_length(i.fingerprints) / 16 AS "howMany"
    FROM ${issuesOf(checks, at)} WHERE NOT i.muted`.execute(db);
  return rows;
}

/** Returns the pages that have results, by URL, without issues. */
export async function checkedPages(
  db: Executor,
  reportId: string,
  urls: readonly string[],
  { at = 'now', kind }: { readonly at?: ResultsAt; readonly kind?: CheckKind | undefined } = {},
): Promise<Map<string, PageResults>> {
  const { rows } = await sql<CheckOfPage>`
    SELECT p.id, p.url, c.kind, concat_ws(' ', encode(p.document_hash, 'hex'), p.content_type) AS document,
      c.engine_version AS "engineVersion", encode(c.resources, 'hex') AS resources,
      found."howMany", found."howManyMuted"
    FROM ${pagesAt(at)} p JOIN ${checksAt(at)} c ON c.web_page_id = p.id CROSS JOIN LATERAL (
      SELECT coalesce(sum(octet_length(i.fingerprints)) FILTER (WHERE NOT i.muted), 0) / 16 AS "howMany",
        coalesce(sum(octet_length(i.fingerprints)) FILTER (WHERE i.muted), 0) / 16 AS "howManyMuted"
      FROM ${issuesAt(at)} i WHERE i.web_page_id = p.id AND i.kind = c.kind) found
    WHERE p.report_id = ${reportId} AND p.url = ANY(${urls}) AND c.status = 'checked' AND p.document_hash IS NOT NULL
      AND ${kind === undefined ? sql`true` : sql`c.kind = ${kind}`}`.execute(db);
  const pages = new Map<string, { id: number; url: string; checks: Map<CheckKind, CheckResults> }>();
  for (const { id, url, kind: of, ...check } of rows) {
    const page = pages.get(url) ?? { id, url, checks: new Map<CheckKind, CheckResults>() };
    pages.set(url, page);
    page.checks.set(of, { ...check, at, issues: [] });
  }
  return pages;
}

/** Returns the kinds of check of a report, and whether its crawl visited every URL that it found. */
export async function crawlOf(
  db: Executor,
  reportId: string,
): Promise<{ readonly kinds: CheckKind[]; readonly isWhole: boolean }> {
  const { rows } = await sql<{ kinds: CheckKind[]; isWhole: boolean }>`
    SELECT ARRAY(SELECT kind FROM report_checks WHERE report_id = r.id) AS kinds,
      r.crawl_error IS NULL AND NOT EXISTS (
        SELECT FROM discovered_url_counts WHERE report_id = r.id AND outcome = 'waiting' AND how_many > 0) AS "isWhole"
    FROM reports r WHERE r.id = ${reportId}`.execute(db);
  return rows[0] ?? { kinds: [], isWhole: false };
}

/** A page of a report, with or without results. */
export interface PageState {
  /** Whether a check of it failed. */
  readonly isFailed: boolean;
  /** Whether it returns 404 or 410. */
  readonly isGone: boolean;
}

/** Returns the pages of a report by URL. */
export async function pageStates(
  db: Executor,
  reportId: string,
  urls: readonly string[],
  at: ResultsAt,
): Promise<ReadonlyMap<string, PageState>> {
  if (urls.length === 0) return new Map();
  const { rows } = await sql<PageState & { url: string }>`
    SELECT url, status = 'failed' AS "isFailed", coalesce(http_status IN (404, 410), false) AS "isGone" FROM ${pagesAt(at)} p
    WHERE report_id = ${reportId} AND url = ANY(${urls})`.execute(db);
  return new Map(rows.map(({ url, ...state }) => [url, state]));
}

interface CheckOfPage extends Omit<CheckResults, 'issues' | 'at'> {
  readonly id: number;
  readonly url: string;
  readonly kind: CheckKind;
}

/**
 * Returns the number of occurrences that pages had at the end of reports, including muted ones, by URL. Pages without occurrences
 * are left out.
 */
export async function countOccurrencesOfPages(
  db: Executor,
  reportIds: readonly string[],
  urls: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (reportIds.length === 0 || urls.length === 0) return new Map();
  const { rows } = await sql<{ url: string; occurrences: number }>`
    SELECT p.url, sum(i.how_many)::bigint AS occurrences FROM web_pages p JOIN issues_at_end i ON i.web_page_id = p.id
    WHERE p.report_id = ANY(${reportIds}) AND p.url = ANY(${urls}) GROUP BY p.url`.execute(db);
  return new Map(rows.map(({ url, occurrences }) => [url, occurrences]));
}

/** Returns the fingerprints of the occurrences that pages had at the end of several reports, including muted ones, by URL. */
export async function occurrencesInReports(
  db: Executor,
  reportIds: readonly string[],
  urls: readonly string[],
  only?: ChosenIssueTypes,
): Promise<Map<string, Uint8Array[]>> {
  if (reportIds.length === 0 || urls.length === 0) return new Map();
  const { rows } = await sql<{ url: string; occurrences: Buffer }>`
    SELECT p.url, i.fingerprints AS occurrences
    FROM web_pages p JOIN issues_at_end i ON i.web_page_id = p.id
    WHERE p.report_id = ANY(${reportIds}) AND p.url = ANY(${urls}) AND ${isOneOf(only)}`.execute(db);
  const occurrences = new Map<string, Uint8Array[]>();
  for (const row of rows) {
    const ofPage = occurrences.get(row.url);
    if (ofPage === undefined) occurrences.set(row.url, [row.occurrences]);
    else ofPage.push(row.occurrences);
  }
  return occurrences;
}

/** Builds the condition that the issue `i` has one of the issue types. */
function isOneOf(only: ChosenIssueTypes | undefined): RawBuilder<SqlBool> {
  if (only === undefined) return sql<SqlBool>`true`;
  return sql<SqlBool>`(i.kind = ${only.kind} AND i.found_fingerprint = ANY(${only.found}))`;
}

/** Returns the URLs that are pages of a report. */
export async function urlsIn(db: Executor, reportId: string, urls: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    SELECT url FROM web_pages WHERE report_id = ${reportId} AND url = ANY(${urls})`.execute(db);
  return rows.map(({ url }) => url);
}
