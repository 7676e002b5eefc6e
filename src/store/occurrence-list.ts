import { type RawBuilder, sql } from 'kysely';
import { isCounted, placesInCluster } from './clusters.ts';
import type { MutedChoice } from './common-issues.ts';
import type { Executor } from './database.ts';
import { foldedContains, type ListPage, type PageRequest } from './listing.ts';
import { type Occurrence, type PlacesOfIssue, placesOfIssue, readPlaces } from './places.ts';
import type { CommonIssue } from './schema.ts';

export interface OccurrenceFilter {
  readonly muted: MutedChoice;
  /** Part of the page's URL. */
  readonly url?: string | undefined;
  /** 8 bytes in hexadecimal. */
  readonly cluster?: string | undefined;
}

/** A common issue; `how_many` counts the places of the filter's `MutedChoice`. */
type Counted = Pick<CommonIssue, 'id' | 'report_id' | 'how_many'>;

/** Returns a page of the places of a common issue, in the order of the pages and of the places on them. */
export async function listOccurrences(
  db: Executor,
  common: Counted,
  filter: OccurrenceFilter,
  { number, size }: PageRequest,
): Promise<ListPage<Occurrence>> {
  const total = await countOccurrences(db, common, filter);
  const offset = (number - 1) * size;
  if (offset >= total) return { total, rows: [] };
  const shown = await shownPlaces(db, issuesOf(common, filter), offset, offset + size);
  return { total, rows: await readPlaces(db, shown) };
}

async function countOccurrences(db: Executor, common: Counted, filter: OccurrenceFilter): Promise<number> {
  const { muted, url, cluster } = filter;
  if (url === undefined) {
    const total =
      cluster === undefined ? common.how_many : await placesInCluster(db, { commonIssueId: common.id, muted }, cluster);
    if (total !== undefined) return total;
  }
  const { rows } = await sql<{ total: number }>`
    SELECT coalesce(sum(shown), 0)::bigint AS total FROM (${issuesOf(common, filter)}) found`.execute(db);
  return rows[0]?.total ?? 0;
}

/**
 * Selects the issues of a list with the number of their places that it shows, and the positions of these unless they are all.
 * Without a cluster, an index has everything.
 */
function issuesOf(common: Counted, { muted, url, cluster }: OccurrenceFilter): RawBuilder<unknown> {
  const pages =
    url === undefined
      ? sql`true`
      : sql`EXISTS (SELECT FROM web_pages p WHERE p.id = issues.web_page_id AND p.report_id = ${common.report_id}
          AND ${foldedContains(sql.ref('p.folded_url'), url)})`;
  const issues = sql`FROM issues WHERE common_issue_id = ${common.id} AND ${isCounted(muted)} AND ${pages}`;
  if (cluster === undefined) {
    return sql`SELECT id, web_page_id, position, how_many AS shown, NULL::integer[] AS places ${issues}`;
  }
  const wanted = sql`decode(${cluster}, 'hex')`;
  // OFFSET keeps the planner from reading the clusters of a long issue, which are stored elsewhere, again for each place.
  return sql`
    SELECT id, web_page_id, position, cardinality(places) AS shown, places
    FROM (
      SELECT id, web_page_id, position, clusters || ''::bytea AS clusters ${issues} AND position(${wanted} IN clusters) > 0
      ORDER BY web_page_id, position, id OFFSET 0
    ) candidates CROSS JOIN LATERAL (
      SELECT array_agg(place ORDER BY place) AS places
      FROM generate_series(0, octet_length(clusters) / 8 - 1) AS place
      WHERE substr(clusters, 8 * place + 1, 8) = ${wanted}
    ) matches
    WHERE places IS NOT NULL`;
}

/** Returns the places from `offset` to before `end`, by issue. Every issue has a place, so as many issues are enough. */
async function shownPlaces(
  db: Executor,
  issues: RawBuilder<unknown>,
  offset: number,
  end: number,
): Promise<readonly PlacesOfIssue[]> {
  const { rows } = await sql<PlacesOfIssue>`
    WITH found AS (
      SELECT * FROM (${issues}) matching ORDER BY web_page_id, position, id LIMIT ${end}
    ), numbered AS (
      SELECT *, sum(shown) OVER (ORDER BY web_page_id, position, id) - shown AS before FROM found
    ), shown AS (
      SELECT id, before, places, greatest(${offset} - before, 0)::integer AS first,
        least(${end} - before, shown)::integer AS after_last
      FROM numbered WHERE before < ${end} AND before + shown > ${offset}
    )
    SELECT i.id AS issue_id, i.web_page_id, p.url, i.muted, ${placesOfIssue(sql`
      SELECT coalesce(s.places[n + 1], n) AS place FROM generate_series(s.first, s.after_last - 1) AS n`)} AS places
    FROM shown s JOIN issues i ON i.id = s.id JOIN web_pages p ON p.id = i.web_page_id
    ORDER BY s.before`.execute(db);
  return rows;
}
