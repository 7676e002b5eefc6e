import { type RawBuilder, sql } from 'kysely';
import { refersToNothing } from '../platform/database-errors.ts';
import { AppError } from '../platform/errors.ts';
import type { MutedChoice } from './common-issues.ts';
import type { Executor } from './database.ts';
import { type PlacesOfIssue, placesOfIssue } from './places.ts';

/** A cluster of a common issue. */
export interface ClusterOfIssue {
  readonly commonIssueId: number;
  readonly muted: MutedChoice;
  /** 8 bytes in hexadecimal. */
  readonly cluster: string;
}

function isKept({ commonIssueId, muted, cluster }: ClusterOfIssue): RawBuilder<unknown> {
  return sql`k.common_issue_id = ${commonIssueId} AND k.muted = ${muted} AND k.cluster = decode(${cluster}, 'hex')`;
}

/**
 * Keeps where the places of a cluster are, unless that is up to date.
 * @param issues selects the issues with such places: `id`, `web_page_id`, `position`, and their number as `shown`
 * @throws AppError not_found if the common issue is deleted meanwhile
 */
export async function keepClusterPlaces(db: Executor, of: ClusterOfIssue, issues: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql`
    SELECT FROM cluster_places k JOIN common_issues c ON c.id = k.common_issue_id
    WHERE ${isKept(of)} AND k.state = c.updated_at`.execute(db);
  if (rows.length > 0) return;
  await sql`
    INSERT INTO cluster_places AS k (common_issue_id, muted, cluster, state, issues, ends)
    SELECT c.id, ${of.muted}, decode(${of.cluster}, 'hex'), c.updated_at, found.issues, found.ends
    FROM common_issues c, (
      SELECT array_agg(id ORDER BY n) AS issues, array_agg(until ORDER BY n) AS ends
      FROM (
        SELECT id, row_number() OVER ordered AS n, (sum(shown) OVER ordered)::bigint AS until
        FROM (${issues}) matching WINDOW ordered AS (ORDER BY web_page_id, position, id)) numbered
    ) found
    WHERE c.id = ${of.commonIssueId} AND found.issues IS NOT NULL
    ON CONFLICT (common_issue_id, muted, cluster)
      DO UPDATE SET state = excluded.state, issues = excluded.issues, ends = excluded.ends`
    .execute(db)
    .catch((error) => {
      if (!refersToNothing(error)) throw error;
      throw new AppError('not_found', 'There is no such resource.', { cause: error });
    });
}

/** Builds the table of the issues of a cluster that is kept, for `FROM`. */
export function keptIssues(of: ClusterOfIssue): RawBuilder<unknown> {
  return sql`(SELECT unnest(issues) AS id FROM cluster_places k WHERE ${isKept(of)}) kept JOIN issues USING (id)`;
}

/** Returns the places of a cluster that is kept, from `offset` to before `end`, by issue. */
export async function clusterPlacesBetween(
  db: Executor,
  of: ClusterOfIssue,
  offset: number,
  end: number,
): Promise<readonly PlacesOfIssue[]> {
  // `width_bucket` searches the sorted ends: it returns how many issues end before the offset. Each issue has a place, so as many
  // issues as places are enough.
  const { rows } = await sql<PlacesOfIssue>`
    WITH kept AS MATERIALIZED (
      SELECT before, issues[before + 1 : before + ${end - offset}::integer] AS issues,
        coalesce(ends[before], 0) AS start, ends[before + 1 : before + ${end - offset}::integer] AS ends
      FROM (
        SELECT issues, ends, width_bucket(${offset}::bigint, ends) AS before FROM cluster_places k WHERE ${isKept(of)}) k
    ), numbered AS (
      SELECT u.id, u.n, coalesce(lag(u.until) OVER (ORDER BY u.n), start) AS start
      FROM kept, unnest(issues, ends) WITH ORDINALITY AS u (id, until, n)
    ), shown AS MATERIALIZED (
      -- The clusters of a long issue are stored elsewhere: this reads them once, and not for each place.
      SELECT s.n, s.start, i.id, i.clusters || ''::bytea AS clusters
      FROM numbered s JOIN issues i ON i.id = s.id WHERE s.start < ${end}
    )
    SELECT i.id AS issue_id, i.web_page_id, p.url, i.muted, ${placesOfIssue(sql`
      SELECT place FROM generate_series(0, octet_length(s.clusters) / 8 - 1) AS place
      WHERE substr(s.clusters, 8 * place + 1, 8) = decode(${of.cluster}, 'hex')
      ORDER BY place LIMIT least(${end} - s.start, ${end - offset}) OFFSET greatest(${offset} - s.start, 0)`)} AS places
    FROM shown s JOIN issues i ON i.id = s.id JOIN web_pages p ON p.id = i.web_page_id
    ORDER BY s.n`.execute(db);
  return rows.filter(({ places }) => places !== null);
}
