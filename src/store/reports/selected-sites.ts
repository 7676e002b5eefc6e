import { type SqlBool, sql } from 'kysely';
import type { Executor } from '../database.ts';
import { SITE_SORTS, type SiteFilter, selectSites } from './site-list.ts';

/** A site of an account that a bulk request selects. */
export interface SelectedSite {
  readonly id: string;
  readonly name: string;
  readonly starting_url: string;
  readonly archived_at: Date | null;
}

/** The sites of an account that a bulk request is about: sites by id, or the sites that match all filters. */
export type SiteSelection = Pick<
  SiteFilter,
  'accountId' | 'text' | 'tags' | 'attention' | 'isArchived' | 'kinds' | 'seesAllKinds' | 'scheduleTimeMs'
> & { readonly ids?: readonly string[] | undefined };

/** @param max the maximum number of sites */
export async function selectedSites(db: Executor, selection: SiteSelection, max: number): Promise<SelectedSite[]> {
  const { ids } = selection;
  let sites = selectSites(db, selection);
  if (ids !== undefined) sites = sites.where(sql<SqlBool>`sites.id = ANY(${[...ids]}::uuid[])`);
  return sites
    .select(['sites.id', 'sites.name', 'sites.archived_at', sql<string>`sites.starting_url`.as('starting_url')])
    .orderBy(SITE_SORTS.name)
    .orderBy('sites.id')
    .limit(max)
    .execute();
}

/** What deleting a site removes. */
export interface SiteContentCounts {
  readonly reports: number;
  readonly pages: number;
  readonly schedules: number;
}

/** Returns what deleting each site removes, by id. */
export async function contentsOfSites(
  db: Executor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SiteContentCounts>> {
  const { rows } = await sql<SiteContentCounts & { readonly id: string }>`
    SELECT site.id, count(r.id) AS reports, coalesce(sum(r.num_pages), 0) AS pages,
      (SELECT count(*) FROM schedules WHERE site_id = site.id) AS schedules
    FROM unnest(${[...ids]}::uuid[]) AS site (id)
      LEFT JOIN reports r ON r.site_id = site.id AND r.deleted_at IS NULL AND NOT r.temporary
    GROUP BY site.id`.execute(db);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
