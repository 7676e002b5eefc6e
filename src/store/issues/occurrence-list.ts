import { type RawBuilder, sql } from 'kysely';
import type { PresentChange } from '../../../packages/client/changes.ts';
import { type Executor, keep } from '../database.ts';
import { decisionOf } from '../decisions/issue-decision.ts';
import { type ChangesOfIssue, changedIssues, keptSlice } from '../diffs/issues-by-change.ts';
import type { ListPage, PageRequest } from '../listing.ts';
import { pageUrlContains } from '../pages/page-url.ts';
import type { CommonIssue } from '../schema.ts';
import { occurrencesInCluster, orNotFound } from './clusters.ts';
import { isCounted, type MutedChoice } from './common-issues.ts';
import { type Occurrence, type OccurrencesOfIssue, occurrencesOfIssue, readOccurrences } from './occurrences.ts';

export interface OccurrenceFilter {
  readonly muted: MutedChoice;
  /** Part of the page's URL, or of the URL that a journey reached. */
  readonly url?: string | undefined;
  /** 8 bytes in hexadecimal. */
  readonly cluster?: string | undefined;
  /** Only issues in which the diff with the previous report found occurrences with one of these changes. */
  readonly changed?: { readonly of: ChangesOfIssue; readonly changes: readonly PresentChange[] } | undefined;
}

/** A common issue; `how_many` counts the occurrences of the filter's `MutedChoice`. */
type Counted = Pick<CommonIssue, 'id' | 'report_id' | 'how_many' | 'kind' | 'fingerprint'>;

/** Returns a page of the occurrences of a common issue, in the order of the pages and of the occurrences on them. */
export async function listOccurrences(
  db: Executor,
  common: Counted,
  filter: Omit<OccurrenceFilter, 'changed'>,
  { number, size }: PageRequest,
): Promise<ListPage<Occurrence>> {
  const total = await countOccurrences(db, common, filter);
  const [offset, end] = [(number - 1) * size, number * size];
  if (offset >= total) return { total, rows: [] };
  const { muted, url, cluster } = filter;
  if (cluster === undefined || url !== undefined) {
    return {
      total,
      rows: await readOccurrences(db, await occurrencesBetween(db, common, filter, { offset, end, total })),
    };
  }
  const issues = await clusterIssues(db, common, muted, cluster);
  return {
    total,
    rows: await readOccurrences(db, await clusterOccurrencesBetween(db, { cluster, issues }, offset, end)),
  };
}

/** Builds the same query as `issuesOf`, but reads only the issues of the cluster, if one is wanted. */
async function matchingIssues(db: Executor, common: Counted, filter: OccurrenceFilter): Promise<RawBuilder<unknown>> {
  const { muted, cluster } = filter;
  if (cluster === undefined) return issuesOf(common, filter, sql`issues`);
  const issues = await clusterIssues(db, common, muted, cluster);
  return issuesOf(
    common,
    filter,
    sql`(SELECT unnest(list.issues) AS id FROM (${issues}) list) kept JOIN issues USING (id)`,
  );
}

/** Counts the occurrences on all pages of a list. */
export async function countOccurrences(db: Executor, common: Counted, filter: OccurrenceFilter): Promise<number> {
  const { muted, url, cluster, changed } = filter;
  if (url === undefined && changed === undefined) {
    const total =
      cluster === undefined
        ? common.how_many
        : await occurrencesInCluster(db, { commonIssueId: common.id, muted }, cluster);
    if (total !== undefined) return total;
  }
  const { rows } = await sql<{ total: number }>`
    SELECT coalesce(sum(shown), 0)::bigint AS total FROM (${await matchingIssues(db, common, filter)}) found`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

/**
 * Selects the issues of a list, each with the number of its occurrences that the list shows, and their positions unless it shows
 * all. Without a cluster, reading an index is enough.
 * @param from the table of issues, or some of them
 */
function issuesOf(
  common: Counted,
  { muted, url, cluster, changed }: OccurrenceFilter,
  from: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const pages =
    url === undefined
      ? sql`true`
      : sql`EXISTS (SELECT FROM web_pages p WHERE p.id = issues.web_page_id AND p.report_id = ${common.report_id}
          AND ${pageUrlContains('p', common.report_id, url)})`;
  const conditions = sql`common_issue_id = ${common.id} AND ${isCounted(muted)} AND ${pages}
    AND ${changed === undefined ? sql`true` : sql`id IN (${changedIssues(changed.of, changed.changes)})`}`;
  if (cluster === undefined) {
    return sql`SELECT id, web_page_id, position, how_many AS shown, NULL::integer[] AS occurrences
      FROM ${from} WHERE ${conditions}`;
  }
  const wanted = sql`decode(${cluster}, 'hex')`;
  // OFFSET keeps the planner from reading the clusters of a long issue, which are stored elsewhere, again for each occurrence.
  return sql`
    SELECT id, web_page_id, position, cardinality(occurrences) AS shown, occurrences
    FROM (
      SELECT id, web_page_id, position, clusters || ''::bytea AS clusters
      FROM ${from} WHERE ${conditions} AND position(${wanted} IN clusters) > 0
      ORDER BY web_page_id, position, id OFFSET 0
    ) candidates CROSS JOIN LATERAL (
      SELECT array_agg(position ORDER BY position) AS occurrences
      FROM generate_series(0, octet_length(clusters) / 8 - 1) AS position
      WHERE substr(clusters, 8 * position + 1, 8) = ${wanted}
    ) matches
    WHERE occurrences IS NOT NULL`;
}

/**
 * Returns the occurrences of a list from `offset` to before `end`, by issue, without the engine's description. Every issue has at
 * least one occurrence, so no more issues than occurrences are needed, counted from the nearer end of the list.
 */
export async function occurrencesBetween(
  db: Executor,
  common: Counted,
  filter: OccurrenceFilter,
  { offset, end, total }: { readonly offset: number; readonly end: number; readonly total: number },
): Promise<readonly OccurrencesOfIssue[]> {
  const isFromEnd = total - offset < end;
  const order = isFromEnd ? sql`web_page_id DESC, position DESC, id DESC` : sql`web_page_id, position, id`;
  const upTo = sql`sum(shown) OVER (ORDER BY ${order})`;
  const { rows } = await sql<OccurrencesOfIssue>`
    WITH found AS (
      SELECT * FROM (${await matchingIssues(db, common, filter)}) matching
      ORDER BY ${order} LIMIT ${isFromEnd ? total - offset : end}
    ), numbered AS (
      SELECT *, ${isFromEnd ? sql`${total}::bigint - ${upTo}` : sql`${upTo} - shown`} AS before FROM found
    ), shown AS (
      SELECT id, before, occurrences, greatest(${offset} - before, 0)::integer AS first,
        least(${end} - before, shown)::integer AS after_last
      FROM numbered WHERE before < ${end} AND before + shown > ${offset}
    )
    SELECT i.id AS issue_id, i.web_page_id, p.url, i.muted, ${decisionOf('i')} AS decision, ${occurrencesOfIssue(sql`
      SELECT coalesce(s.occurrences[n + 1], n) AS position FROM generate_series(s.first, s.after_last - 1) AS n`)} AS occurrences
    FROM shown s JOIN issues i ON i.id = s.id JOIN web_pages p ON p.id = i.web_page_id
    ORDER BY s.before`.execute(db);
  return rows;
}

/**
 * Builds the query for the positions of the occurrences of a cluster: its issues in the order of the list, as `issues`, and the
 * number of occurrences up to the end of each issue, as `ends`. Stores them first unless they are up to date. While the database
 * accepts no changes, the query counts them itself.
 * @throws AppError not_found if the common issue is deleted in the meantime
 */
async function clusterIssues(
  db: Executor,
  common: Counted,
  muted: MutedChoice,
  cluster: string,
): Promise<RawBuilder<unknown>> {
  const isOf = sql`k.common_issue_id = ${common.id} AND k.muted = ${muted} AND k.cluster = decode(${cluster}, 'hex')`;
  const kept = sql`SELECT k.issues, k.ends FROM cluster_occurrences k WHERE ${isOf}`;
  const { rows } = await sql`
    SELECT FROM cluster_occurrences k JOIN common_issues c ON c.id = k.common_issue_id
    WHERE ${isOf} AND k.state = c.updated_at`.execute(db);
  if (rows.length > 0) return kept;
  const counted = sql`
    SELECT array_agg(id ORDER BY n) AS issues, array_agg(until ORDER BY n) AS ends
    FROM (
      SELECT id, row_number() OVER ordered AS n, (sum(shown) OVER ordered)::bigint AS until
      FROM (${issuesOf(common, { muted, cluster }, sql`issues`)}) matching
      WINDOW ordered AS (ORDER BY web_page_id, position, id)) numbered`;
  const keeping = sql`
    INSERT INTO cluster_occurrences AS k (common_issue_id, muted, cluster, state, issues, ends)
    SELECT c.id, ${muted}, decode(${cluster}, 'hex'), c.updated_at, found.issues, found.ends
    FROM common_issues c, (${counted}) found
    WHERE c.id = ${common.id} AND found.issues IS NOT NULL
    ON CONFLICT (common_issue_id, muted, cluster)
      DO UPDATE SET state = excluded.state, issues = excluded.issues, ends = excluded.ends`;
  return (await keep(keeping.execute(db).catch(orNotFound))) ? kept : counted;
}

/**
 * Returns the occurrences of a cluster from `offset` to before `end`, by issue.
 * @param of.issues from `clusterIssues`
 */
async function clusterOccurrencesBetween(
  db: Executor,
  { cluster, issues }: { readonly cluster: string; readonly issues: RawBuilder<unknown> },
  offset: number,
  end: number,
): Promise<readonly OccurrencesOfIssue[]> {
  const { rows } = await sql<OccurrencesOfIssue>`
    WITH numbered AS MATERIALIZED (
      ${keptSlice(issues, offset, end)}
    ), shown AS MATERIALIZED (
      -- The clusters of a long issue are stored elsewhere: this reads them once, and not for each occurrence.
      SELECT s.n, s.start, i.id, i.clusters || ''::bytea AS clusters
      FROM numbered s JOIN issues i ON i.id = s.id WHERE s.start < ${end}
    )
    SELECT i.id AS issue_id, i.web_page_id, p.url, i.muted, ${decisionOf('i')} AS decision, ${occurrencesOfIssue(sql`
      SELECT position FROM generate_series(0, octet_length(s.clusters) / 8 - 1) AS position
      WHERE substr(s.clusters, 8 * position + 1, 8) = decode(${cluster}, 'hex')
      ORDER BY position LIMIT least(${end} - s.start, ${end - offset}) OFFSET greatest(${offset} - s.start, 0)`)} AS occurrences
    FROM shown s JOIN issues i ON i.id = s.id JOIN web_pages p ON p.id = i.web_page_id
    ORDER BY s.n`.execute(db);
  return rows.filter(({ occurrences }) => occurrences !== null);
}
