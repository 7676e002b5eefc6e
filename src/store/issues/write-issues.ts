import { sql } from 'kysely';
import { type CheckKind, type IssueIdentity, impactOrder } from '../../domain/check.ts';
import { slicesOf } from '../../platform/slices.ts';
import { countSilenced, type Silence, type SilencedBy } from '../mutings/muting-counts.ts';
import { KEEP_ISSUES } from '../reports/keep-results.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import { storable } from '../storable.ts';
import type { PackedIssue } from './packed-issues.ts';

/** Rows in one statement: serializing more would block this process for too long. */
export const ROWS_PER_STATEMENT = 1_000;

/** An issue that a check found on a page. */
export interface FoundOnPage {
  readonly webPageId: number;
  readonly issue: PackedIssue;
  /** Its position among the issues that the check found, from 0. */
  readonly position: number;
  /** Which of its occurrences are new; absent if they were not compared with an earlier result. */
  readonly newOccurrences?: Uint8Array | undefined;
}

interface IssueRow {
  readonly key: string;
  readonly webPageId: number;
  readonly position: number;
  readonly url: string | null;
  readonly howMany: number;
  readonly occurrences: Uint8Array;
  readonly identity: IssueIdentity;
  readonly newOccurrences: Uint8Array | undefined;
  readonly silence: Silence | null;
  readonly decisionId: number | null;
  readonly foundPositions: string | null;
}

interface CommonIssueRow {
  readonly key: string;
  readonly issue: PackedIssue;
  readonly isOutside: boolean;
  readonly shown: Tally;
  readonly muted: Tally;
}

interface Tally {
  howMany: number;
  readonly pages: Set<number>;
}

/** Inserts issues that checks of one kind found, and adds them to the counts of common issues and mutings. */
export async function insertIssues(
  change: ReportTransaction,
  kind: CheckKind,
  found: readonly FoundOnPage[],
  silencedBy: SilencedBy,
): Promise<void> {
  const rows: IssueRow[] = [];
  const common = new Map<string, CommonIssueRow>();
  const silenced = new Map<number, number>();
  for (const { webPageId, issue, position, newOccurrences } of found) {
    const { key, howMany, occurrences, identity } = issue;
    const silence = silencedBy(webPageId, issue);
    const isOutside = silence?.isOutside ?? false;
    const issueType = common.get(key) ?? { key, issue, isOutside, shown: emptyTally(), muted: emptyTally() };
    common.set(key, issueType);
    for (const id of silence?.mutings ?? []) silenced.set(id, (silenced.get(id) ?? 0) + howMany);
    const tally = silence === null ? issueType.shown : issueType.muted;
    tally.howMany += howMany;
    tally.pages.add(webPageId);
    const url = storable(issue.url);
    const { decision, foundAt } = issue;
    const decided = {
      decisionId: decision?.id ?? null,
      foundPositions: foundAt?.occurrences ? arrayOf(foundAt.occurrences) : null,
    };
    rows.push({ key, webPageId, position, url, howMany, occurrences, identity, newOccurrences, silence, ...decided });
  }
  if (rows.length === 0) return;
  const ids = new Map<string, number>();
  for (const slice of slicesOf([...common.values()], ROWS_PER_STATEMENT)) {
    for (const [key, id] of await upsertCommonIssues(change, kind, slice)) ids.set(key, id);
  }
  for (const slice of slicesOf(rows, ROWS_PER_STATEMENT)) await insertRows(change, kind, slice, ids);
  await countSilenced(change, silenced);
}

async function insertRows(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  rows: readonly IssueRow[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, url, how_many, occurrences,
      fingerprints, clusters, traces, new_occurrences, mutings, muted, muted_at_end, muted_retroactively, decision_id, found_positions)
    SELECT common_issue_id, ${reportId}, web_page_id, ${kind}, position,
      nullif(u.url, (SELECT p.url FROM web_pages p WHERE p.id = web_page_id)), how_many, occurrences,
      fingerprints, clusters, traces, new_occurrences, u.mutings::bigint[], u.muted,
      -- A retroactive muting can be withdrawn from the results at the report's end.
      CASE WHEN of.retroactive THEN of.other END, of.retroactive, decision_id, u.found_positions::integer[]
    FROM unnest(${rows.map((row) => ids.get(row.key))}::bigint[], ${rows.map((row) => row.webPageId)}::bigint[],
      ${rows.map((row) => row.position)}::integer[], ${rows.map((row) => row.url)}::text[],
      ${rows.map((row) => row.howMany)}::integer[], ${rows.map((row) => row.occurrences)}::bytea[],
      ${rows.map(({ identity }) => identity.occurrences)}::bytea[], ${rows.map(({ identity }) => identity.clusters)}::bytea[],
      ${rows.map(({ identity }) => identity.traces)}::bytea[], ${rows.map((row) => row.newOccurrences)}::bytea[],
      ${rows.map(({ silence }) => arrayOf(silence?.mutings ?? []))}::text[], ${rows.map(({ silence }) => silence !== null)}::boolean[],
      ${rows.map((row) => row.decisionId)}::bigint[], ${rows.map((row) => row.foundPositions)}::text[])
      AS u(common_issue_id, web_page_id, position, url, how_many, occurrences, fingerprints, clusters, traces, new_occurrences, mutings, muted,
        decision_id, found_positions)
      CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(m.retroactive), false) AS retroactive, coalesce(bool_or(NOT m.retroactive), false) AS other
        FROM mutings m WHERE m.id = ANY(u.mutings::bigint[])) AS of`.execute(trx);
}

/** Returns ids as a PostgreSQL array; null for none. */
function arrayOf(ids: readonly number[]): string | null {
  return ids.length === 0 ? null : `{${ids.join()}}`;
}

function emptyTally(): Tally {
  return { howMany: 0, pages: new Set() };
}

async function upsertCommonIssues(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  rows: readonly CommonIssueRow[],
): Promise<Map<string, number>> {
  const values = rows.map(({ key, issue, isOutside, shown, muted }) => ({
    key,
    fingerprint: issue.identity.kind,
    issue_type: issue.type,
    issue_sub_type: issue.subType,
    message: storable(issue.message),
    rule_id: issue.ruleId,
    help_url: issue.helpUrl,
    impact: issue.impact,
    impact_order: issue.impact === null ? 0 : impactOrder(issue.impact),
    tags: issue.tags,
    how_many: shown.howMany,
    num_web_pages: shown.pages.size,
    muted_how_many: muted.howMany,
    muted_num_web_pages: muted.pages.size,
    outside_standard: isOutside,
    verdict: issue.decision?.verdict,
    found_key: issue.decision?.foundKey,
    found_fingerprint: issue.decision?.foundFingerprint,
    found_type: issue.decision?.foundType,
  }));
  const result = await sql<{ id: number; key: string }>`
    INSERT INTO common_issues AS c (report_id, kind, key, fingerprint, issue_type, issue_sub_type, message, rule_id, help_url, impact,
      impact_order, tags, how_many, num_web_pages, muted_how_many, muted_num_web_pages, outside_standard, verdict,
      found_key, found_fingerprint, found_type)
    SELECT ${reportId}, ${kind}, decode(key, 'hex'), decode(fingerprint, 'hex'), issue_type, issue_sub_type, message, rule_id, help_url, impact,
      impact_order, ARRAY(SELECT jsonb_array_elements_text(tags)), how_many, num_web_pages, muted_how_many,
      muted_num_web_pages, outside_standard, verdict, decode(found_key, 'hex'), decode(found_fingerprint, 'hex'),
      found_type
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS u(key text, fingerprint text, issue_type text, issue_sub_type text,
      message text, rule_id text, help_url text, impact text, impact_order integer, tags jsonb, how_many bigint,
      num_web_pages integer, muted_how_many bigint, muted_num_web_pages integer, outside_standard boolean,
      verdict text, found_key text, found_fingerprint text, found_type text)
    ON CONFLICT (report_id, kind, key) DO UPDATE SET fingerprint = excluded.fingerprint, how_many = c.how_many + excluded.how_many,
      num_web_pages = c.num_web_pages + excluded.num_web_pages,
      muted_how_many = c.muted_how_many + excluded.muted_how_many,
      muted_num_web_pages = c.muted_num_web_pages + excluded.muted_num_web_pages, updated_at = now()
    RETURNING c.id, encode(c.key, 'hex') AS key`.execute(trx);
  return new Map(result.rows.map((row) => [row.key, row.id]));
}

/**
 * Removes issues of one kind from pages, and subtracts them from the counts of common issues and mutings. The issues at the
 * report's end are kept.
 * @param typeFingerprint the issue type to remove, as the check found it, in hexadecimal; all types by default
 */
export async function removeIssues(
  { trx }: ReportTransaction,
  webPageIds: readonly number[],
  kind: CheckKind,
  typeFingerprint?: string,
): Promise<void> {
  const isOfType =
    typeFingerprint === undefined
      ? sql`true`
      : sql`(SELECT ${FOUND_FINGERPRINT} FROM common_issues k WHERE k.id = common_issue_id) = decode(${typeFingerprint}, 'hex')`;
  await sql`
    WITH gone AS (
      DELETE FROM issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind} AND ${isOfType}
      RETURNING *
    ), kept AS (${KEEP_ISSUES}), silenced AS (
      UPDATE report_mutings r SET how_many = r.how_many - s.how_many
      FROM (
        SELECT report_id, muting, sum(how_many) AS how_many FROM gone, unnest(mutings) AS muting GROUP BY 1, 2
      ) s WHERE r.report_id = s.report_id AND r.muting_id = s.muting
    ), sums AS (
      SELECT common_issue_id, coalesce(sum(how_many) FILTER (WHERE NOT muted), 0) AS how_many,
        count(DISTINCT web_page_id) FILTER (WHERE NOT muted) AS num_web_pages,
        coalesce(sum(how_many) FILTER (WHERE muted), 0) AS muted_how_many,
        count(DISTINCT web_page_id) FILTER (WHERE muted) AS muted_num_web_pages
      FROM gone GROUP BY common_issue_id
    )
    UPDATE common_issues c
    SET how_many = c.how_many - sums.how_many, num_web_pages = c.num_web_pages - sums.num_web_pages,
      muted_how_many = c.muted_how_many - sums.muted_how_many,
      muted_num_web_pages = c.muted_num_web_pages - sums.muted_num_web_pages, updated_at = now()
    FROM sums WHERE c.id = sums.common_issue_id`.execute(trx);
}

/** The fingerprint of the issue type of a row `k` of `common_issues`, as the check found it. */
export const FOUND_FINGERPRINT = sql<Buffer>`coalesce(k.found_fingerprint, k.fingerprint)`;

/**
 * Removes common issues that decisions have emptied. Their ids then lead to the common issues that now have their occurrences.
 */
export async function replaceEmptyCommonIssues({ trx, reportId }: ReportTransaction, kind: CheckKind): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM common_issues WHERE report_id = ${reportId} AND kind = ${kind} AND how_many = 0 AND muted_how_many = 0
      RETURNING id, report_id, kind, coalesce(found_fingerprint, fingerprint) AS found
    )
    INSERT INTO former_common_issues (id, report_id, kind, found_fingerprint)
    SELECT id, report_id, kind, found FROM gone`.execute(trx);
}

/** Removes common issues without issues. Call it after inserting new issues, so that recurring ones keep their ids. */
export async function removeEmptyCommonIssues({ trx, reportId }: ReportTransaction, kind: CheckKind): Promise<void> {
  await trx
    .deleteFrom('common_issues')
    .where('report_id', '=', reportId)
    .where('kind', '=', kind)
    .where('how_many', '=', 0)
    .where('muted_how_many', '=', 0)
    .execute();
}
