import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import { isFull } from './complete-reports.ts';
import { type CountsAtEndOfRun, countsOfRun, RUN_COUNT_COLUMNS } from './run-counts.ts';
import { isWithoutReports, shownReports, sitesOf } from './site-list.ts';

/** A full report of a site, as clients see it. */
export interface SharedRun extends CountsAtEndOfRun {
  readonly report_id: string;
  /** With a time zone. */
  readonly finished_at: string;
}

/** A site as the readers of a share link see it. */
export interface SharedSite {
  readonly id: string;
  readonly name: string;
  readonly starting_url: string;
  /** Newest first. */
  readonly runs: readonly SharedRun[];
}

/**
 * Returns a page of sites with their last full reports, sorted by name.
 * @param kinds the kinds of check whose errors are counted
 * @param runsMax the maximum number of reports per site
 */
export function listSharedSites(
  db: Executor,
  {
    siteIds,
    kinds,
    runsMax,
  }: { readonly siteIds: readonly string[]; readonly kinds: readonly CheckKind[]; readonly runsMax: number },
  page: PageRequest,
): Promise<ListPage<SharedSite>> {
  const sites = db.selectFrom('sites').where(sql<SqlBool>`sites.id = ANY(${[...siteIds]}::uuid[])`);
  return listPage(
    sites,
    page,
    (rows) =>
      rows
        .select(['sites.id', 'sites.name', sql<string>`sites.starting_url`.as('starting_url')])
        .select(lastRuns(kinds, runsMax).as('runs'))
        .orderBy(sql`casefold(coalesce(nullif(sites.name, ''), sites.address) COLLATE pg_unicode_fast)`)
        .orderBy('sites.id'),
    { id: 'sites.id' },
  );
}

function lastRuns(kinds: readonly CheckKind[], max: number): RawBuilder<SharedRun[]> {
  return sql<SharedRun[]>`(
    SELECT coalesce(json_agg(${countsOfRun(kinds)} || jsonb_build_object('report_id', run.id, 'finished_at', run.finished_at)
      ORDER BY run.inserted_at DESC, run.id DESC), '[]')
    FROM (
      SELECT id, inserted_at, finished_at, ${RUN_COUNT_COLUMNS} FROM reports
      WHERE site_id = sites.id AND ${isFull} ORDER BY inserted_at DESC, id DESC LIMIT ${max}
    ) run)`;
}

/** Returns a site without its reports. */
export async function findSharedSite(
  db: Executor,
  id: string,
): Promise<Pick<SharedSite, 'id' | 'name' | 'starting_url'> | undefined> {
  return db.selectFrom('sites').select(['id', 'name', 'starting_url']).where('id', '=', id).executeTakeFirst();
}

/** Returns a site that an account or one of its guests has, without its reports. */
export function findOwnSite(
  db: Executor,
  accountId: string,
  id: string,
): Promise<(Pick<SharedSite, 'id' | 'name' | 'starting_url'> & { readonly account_id: string }) | undefined> {
  const creators = { accountId, createdBy: 'all' } as const;
  return db
    .selectFrom('sites')
    .select(['id', 'account_id', 'name', 'starting_url'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(sitesOf(creators))
    .where(
      sql<SqlBool>`(EXISTS (SELECT FROM reports WHERE site_id = sites.id AND ${shownReports(creators)})
        OR sites.account_id = ${accountId} AND ${isWithoutReports})`,
    )
    .executeTakeFirst();
}

/** Returns the name of the account that shares sites, and the tag of the link; null for the link of a site. */
export async function findSharer(
  db: Executor,
  linkId: string,
): Promise<{ readonly owner_name: string; readonly tag: string | null } | undefined> {
  return db
    .selectFrom('share_links as l')
    .innerJoin('accounts as a', 'a.id', 'l.account_id')
    .select(['a.name as owner_name', 'l.tag'])
    .where('l.id', '=', linkId)
    .executeTakeFirst();
}
