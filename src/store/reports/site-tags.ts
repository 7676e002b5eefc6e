import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database.ts';
import { folded, type ListPage, type PageRequest } from '../listing.ts';
import { countsOfLast, needsAttention, type SiteFilter, selectSites, tagsOfSite } from './site-list.ts';

/** What the last runs of some sites found. */
export interface SiteSums {
  readonly sites: number;
  /** Sites that need attention. */
  readonly needing: number;
  /** Errors of the last runs. */
  readonly errors: number;
  /** Among these, errors with critical impact. */
  readonly critical: number;
}

/** The sites with a tag. */
export interface TagSums extends SiteSums {
  /** In one of its spellings; null for the sites without tags. */
  readonly tag: string | null;
}

const SUMS = sql`count(*) AS sites, count(*) FILTER (WHERE needs) AS needing, coalesce(sum(errors), 0) AS errors,
  coalesce(sum(critical), 0) AS critical`;

/**
 * Returns a page of the tags of sites by name, with the sites without tags last, and the sums of all sites. In these, each site
 * counts once.
 */
export async function listSiteTags(
  db: Executor,
  filter: SiteFilter,
  { number, size }: PageRequest,
): Promise<ListPage<TagSums> & { readonly sums: SiteSums }> {
  const sites = selectSites(db, filter).select([
    tagsOfSite.as('tags'),
    needsAttention.as('needs'),
    ...countsOfLast(filter.kinds),
  ]);
  const tag: RawBuilder<unknown> = sql`unnest(CASE WHEN tags = '{}' THEN ARRAY[NULL]::text[] ELSE tags END)`;
  const { rows } = await sql<{ total: number; rows: TagSums[]; sums: SiteSums }>`
    WITH found AS MATERIALIZED (${sites}),
      groups AS MATERIALIZED (
        SELECT min(tag) AS tag, ${folded(sql`tag`)} AS name, ${SUMS} FROM found CROSS JOIN LATERAL ${tag} AS tag GROUP BY 2)
    SELECT (SELECT count(*) FROM groups) AS total, (SELECT row_to_json(s) FROM (SELECT ${SUMS} FROM found) s) AS sums,
      (SELECT coalesce(json_agg(row_to_json(g) ORDER BY name NULLS LAST), '[]') FROM (
        SELECT * FROM groups ORDER BY name NULLS LAST LIMIT ${size} OFFSET ${(number - 1) * size}) g) AS rows`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A query without conditions has returned no row.');
  return row;
}
