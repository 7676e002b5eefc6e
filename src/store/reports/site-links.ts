import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { KeptSecret } from '../../platform/kept-secret.ts';
import { isInUse } from '../accounts/account-states.ts';
import { planOf } from '../accounts/guest-accounts.ts';
import type { Executor } from '../database.ts';
import { countRows, folded, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { Plan, Schema } from '../schema.ts';
import type { ShareLink } from './share-link-table.ts';

/** What the share link of a site or a tag opens: the complete reports of these sites. */
export interface LinkedSites {
  readonly linkId: string;
  /** Not empty. */
  readonly siteIds: readonly string[];
  /** The effective plan of the owner. */
  readonly plan: Plan;
}

/**
 * Returns the sites that the link with this secret opens now.
 * @returns undefined if there is no such link, or if all its sites are deleted or archived, or if no site has its tag
 */
export function findLinkedSites(db: Executor, secretHash: Buffer): Promise<LinkedSites | undefined> {
  return db
    .selectFrom('share_links as l')
    .innerJoinLateral(openedSites.as('s'), (join) => join.onTrue())
    .select('l.id as linkId')
    .select(sql<string[]>`array_agg(s.id ORDER BY s.id)`.as('siteIds'))
    .select(planOf(sql.ref('l.account_id')).as('plan'))
    .where('l.secret_hash', '=', secretHash)
    .where(isInUse(sql.ref('l.account_id')))
    .groupBy('l.id')
    .executeTakeFirst();
}

/** Returns whether a link opens a site now. */
export async function opensSite(db: Executor, linkId: string, siteId: string): Promise<boolean> {
  const found = db
    .selectFrom('share_links as l')
    .innerJoinLateral(openedSites.as('s'), (join) => join.onTrue())
    .select('l.id')
    .where('l.id', '=', linkId)
    .where('s.id', '=', siteId);
  return (await found.executeTakeFirst()) !== undefined;
}

const isOpen: RawBuilder<SqlBool> = sql`(s.deleted_at IS NULL AND s.archived_at IS NULL AND s.account_id = l.account_id)`;

/** The sites that the link `l` opens. The link of one site doesn't read the tags of the other sites. */
const openedSites: RawBuilder<{ id: string }> = sql`(
  SELECT s.id FROM sites s WHERE s.id = l.site_id AND ${isOpen}
  UNION ALL
  SELECT s.id FROM sites s WHERE l.tag IS NOT NULL AND ${isOpen} AND EXISTS (
    SELECT FROM jsonb_array_elements_text(s.definition->'tags') AS has (name) WHERE ${folded(sql`has.name`)} = ${folded(sql`l.tag`)}))`;

/** A link as its owner sees it. */
export interface ListedLink extends ShareLink {
  /** The sites that it opens now. */
  readonly num_sites: number;
}

export interface LinkFilter {
  readonly accountId: string;
  readonly siteId?: string | undefined;
  /** Ignoring case. */
  readonly tag?: string | undefined;
}

/** Returns a page of an account's links, newest first. */
export function listSiteLinks(db: Executor, filter: LinkFilter, page: PageRequest): Promise<ListPage<ListedLink>> {
  let links = db.selectFrom('share_links as l').where('l.account_id', '=', filter.accountId);
  if (filter.siteId !== undefined) links = links.where('l.site_id', '=', filter.siteId);
  if (filter.tag !== undefined)
    links = links.where(sql<SqlBool>`${folded(sql`l.tag`)} = ${folded(sql`${filter.tag}::text`)}`);
  return listPage(links, page, (rows) => rows.selectAll('l').select(numSites).orderBy('l.id', 'desc'), { id: 'l.id' });
}

export function findSiteLink(db: Executor, id: string): Promise<ListedLink | undefined> {
  const links = db.selectFrom('share_links as l').selectAll('l').select(numSites).where('l.id', '=', id);
  return links.executeTakeFirst();
}

const numSites = sql<number>`(SELECT count(*) FROM ${openedSites} s)`.as('num_sites');

/** What a new link opens, and who it is for. */
export type NewSiteLink = { readonly accountId: string; readonly name: string } & (
  | { readonly siteId: string; readonly tag: null }
  | { readonly siteId: null; readonly tag: string }
);

/** @returns its id */
export async function insertSiteLink(trx: Transaction<Schema>, link: NewSiteLink, secret: KeptSecret): Promise<string> {
  const { accountId, name, siteId, tag } = link;
  const { id } = await trx
    .insertInto('share_links')
    .values({
      ...{ account_id: accountId, name, site_id: siteId, tag },
      ...{ secret_hash: secret.hash, secret_sealed: secret.sealed },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export function countSiteLinks(db: Executor, accountId: string): Promise<number> {
  return countRows(db.selectFrom('share_links').where('account_id', '=', accountId));
}

/** Deletes a link, which stops working at once. */
export async function deleteSiteLink(db: Executor, id: string): Promise<void> {
  await db.deleteFrom('share_links').where('id', '=', id).execute();
}
