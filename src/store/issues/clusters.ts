import { type RawBuilder, sql } from 'kysely';
import { isForeignKeyViolation } from '../../platform/database-errors.ts';
import { notFound } from '../../platform/errors.ts';
import { type Executor, keep } from '../database.ts';
import type { ListPage, PageRequest } from '../listing.ts';
import { COMMON_COUNTS, isCounted, type MutedChoice } from './common-issues.ts';
import { type Occurrence, readSingleOccurrences } from './occurrences.ts';

/**
 * The number of clusters in the list of a common issue: the largest ones. The rest of a long list consists of occurrences without
 * anything in common.
 */
const LISTED_MAX = 1_000;

/** A cluster as it is stored. */
interface ListedCluster {
  readonly cluster: string;
  readonly how_many: number;
  readonly num_web_pages: number;
  /** The issue of its first occurrence, and the position of the occurrence in it. */
  readonly issue: number;
  readonly position: number;
}

/** Occurrences of a common issue with the same markup. */
export interface Cluster extends Pick<ListedCluster, 'how_many' | 'num_web_pages'> {
  /** 8 bytes in hexadecimal. */
  readonly id: string;
  /** Its first occurrence, in the order of pages and occurrences. */
  readonly sample: Occurrence;
}

export interface ClusterPage extends ListPage<Cluster> {
  /** Occurrences in clusters beyond the list. */
  readonly unlisted: number;
}

/** The part of a common issue that `MutedChoice` selects. */
interface Counted {
  readonly commonIssueId: number;
  readonly muted: MutedChoice;
}

/**
 * Returns a page of the clusters of a common issue: clusters with the most occurrences first, then in the order of their first
 * occurrences. The list is created on the first request, and again when the common issue has changed.
 */
export async function listClusters(db: Executor, counted: Counted, page: PageRequest): Promise<ClusterPage> {
  const { rows } = await sql<ListPage<ListedCluster> & Pick<ClusterPage, 'unlisted'>>`
    SELECT unlisted, jsonb_array_length(clusters) AS total, (
      SELECT coalesce(json_agg(shown.item), '[]') FROM (
        SELECT item FROM jsonb_array_elements(clusters) WITH ORDINALITY AS listed (item, n)
        ORDER BY n LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}) shown) AS rows
    FROM (${await clusterList(db, counted)}) list`.execute(db);
  const [list] = rows;
  return list === undefined ? { total: 0, rows: [], unlisted: 0 } : { ...list, rows: await withSamples(db, list.rows) };
}

/** Adds the first occurrences. Clusters whose first page has been checked again in the meantime are left out. */
async function withSamples(db: Executor, clusters: readonly ListedCluster[]): Promise<Cluster[]> {
  const samples = new Map((await readSingleOccurrences(db, clusters)).map((sample) => [sample.cluster, sample]));
  return clusters.flatMap(({ cluster: id, how_many, num_web_pages }) => {
    const sample = samples.get(id);
    return sample === undefined ? [] : [{ id, how_many, num_web_pages, sample }];
  });
}

/** Returns the number of occurrences in a cluster; undefined if the list may not contain it. */
export async function occurrencesInCluster(
  db: Executor,
  counted: Counted,
  cluster: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ howMany: number | null; unlisted: number }>`
    SELECT unlisted, (
      SELECT (item->>'how_many')::bigint FROM jsonb_array_elements(clusters) AS item WHERE item->>'cluster' = ${cluster}
    ) AS "howMany"
    FROM (${await clusterList(db, counted)}) list`.execute(db);
  const [list] = rows;
  return list?.howMany ?? (list?.unlisted === 0 ? 0 : undefined);
}

/**
 * Builds the query for the list of a common issue: `clusters` and `unlisted`. Stores the list first unless it is up to date.
 * While the database accepts no changes, the query counts the clusters itself.
 * @throws AppError not_found if the common issue is deleted in the meantime
 */
async function clusterList(db: Executor, counted: Counted): Promise<RawBuilder<unknown>> {
  const { commonIssueId, muted } = counted;
  const kept = sql`
    SELECT clusters, unlisted FROM cluster_lists WHERE common_issue_id = ${commonIssueId} AND muted = ${muted}`;
  const { rows } = await sql`
    SELECT FROM cluster_lists k JOIN common_issues c ON c.id = k.common_issue_id
    WHERE k.common_issue_id = ${commonIssueId} AND k.muted = ${muted} AND k.state = c.updated_at`.execute(db);
  return rows.length > 0 || (await keep(keepClusters(db, counted))) ? kept : countedClusters(counted);
}

/** @throws AppError not_found if the common issue is deleted in the meantime */
async function keepClusters(db: Executor, counted: Counted): Promise<void> {
  await sql`
    INSERT INTO cluster_lists AS k (common_issue_id, muted, state, clusters, unlisted)
    SELECT id, ${counted.muted}, updated_at, clusters, unlisted FROM (${countedClusters(counted)}) list
    ON CONFLICT (common_issue_id, muted)
      DO UPDATE SET state = excluded.state, clusters = excluded.clusters, unlisted = excluded.unlisted`
    .execute(db)
    .catch(orNotFound);
}

/** Builds the query that counts the clusters of a common issue. */
function countedClusters({ commonIssueId, muted }: Counted): RawBuilder<unknown> {
  return sql`
    WITH common AS (
      SELECT id, updated_at, ${COMMON_COUNTS[muted].howMany} AS how_many FROM common_issues WHERE id = ${commonIssueId}
    ), ordered AS MATERIALIZED (
      -- The clusters of a long issue are stored elsewhere: this reads them once, and not for each occurrence.
      SELECT id, web_page_id, clusters || ''::bytea AS clusters,
        row_number() OVER (ORDER BY web_page_id, position, id) AS n
      FROM issues WHERE common_issue_id = ${commonIssueId} AND ${isCounted(muted)}
    ), on_pages AS (
      SELECT substr(clusters, 8 * position + 1, 8) AS cluster, web_page_id, count(*) AS how_many, min(n << 32 | position) AS first
      FROM ordered, generate_series(0, octet_length(clusters) / 8 - 1) AS position GROUP BY 1, 2
    ), largest AS (
      SELECT cluster, sum(how_many)::bigint AS how_many, count(*) AS num_web_pages, min(first) AS first
      FROM on_pages GROUP BY cluster ORDER BY 2 DESC, 4 LIMIT ${LISTED_MAX}
    ), listed AS (
      SELECT l.how_many, l.first, jsonb_build_object('cluster', encode(l.cluster, 'hex'), 'how_many', l.how_many,
        'num_web_pages', l.num_web_pages, 'issue', o.id, 'position', l.first & 4294967295) AS item
      FROM largest l JOIN ordered o ON o.n = l.first >> 32
    )
    SELECT id, updated_at, coalesce((SELECT jsonb_agg(item ORDER BY how_many DESC, first) FROM listed), '[]') AS clusters,
      (how_many - coalesce((SELECT sum(how_many) FROM listed), 0))::bigint AS unlisted
    FROM common`;
}

/**
 * Handles the error of a statement that inserts a list of a common issue.
 * @throws AppError not_found if the common issue is deleted in the meantime
 */
export function orNotFound(error: unknown): never {
  throw isForeignKeyViolation(error) ? notFound('resource', { cause: error }) : error;
}
