import { type Expression, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { CHECK_COUNTS } from '../../domain/counts.ts';
import { CUT_SHORT } from '../../domain/crawl.ts';
import type { FailOn } from '../../domain/fail-on.ts';
import { hostOf } from '../../domain/host-name.ts';
import { columnsOf, type ReportDefinition } from '../../domain/report-definition.ts';
import { isNoAccess, type SiteAccess, signedInWith } from '../../domain/site-access.ts';
import { ADVISORY_LOCKS } from '../../platform/advisory-locks.ts';
import { keepSecret, newSecret } from '../../platform/kept-secret.ts';
import { guestAccountOf, payerIdOf } from '../accounts/guest-accounts.ts';
import type { Executor } from '../database.ts';
import { changeOfReport, type ShownChange } from '../diffs/shown-change.ts';
import { type FixEffect, fixEffect } from '../issues/fixes.ts';
import {
  contains,
  countRows,
  type Direction,
  type ListPage,
  listPage,
  type PageRequest,
  type TagFilter,
  taggedWith,
} from '../listing.ts';
import type { Report, ReportCheck, ReportStatus, Schema } from '../schema.ts';
import { storableJson } from '../storable.ts';
import type { CredentialStore } from './credential-store.ts';
import { type PreviousReport, previous } from './previous-report.ts';
import type { ReportSize } from './report-sizes.ts';
import { findSiteLogin } from './site-login.ts';
import { measureAtSite, requireSite, type SiteSettings, siteFor, type UnsetMeasure, useSite } from './sites.ts';

/** A report with the counts of its enabled kinds of check. */
export interface ReportWithChecks extends Report {
  /** The host whose guest created the report; null if no guest did, or the guest account was deleted. */
  readonly host_id: string | null;
  readonly checks: Readonly<Record<CheckKind, ReportCheckCounts>>;
  /** The report to compare it with; null if there is none. */
  readonly previous: PreviousReport | null;
  /** The name of its account; empty if it has none. */
  readonly owner_name: string;
  /** What the owner calls its site; empty if it has no name. */
  readonly site_name: string;
  /** The effect of its stored fixes; null if there are none, or they are not computed yet. */
  readonly fix_effect: FixEffect | null;
  /** Its changes at its end; null before it is compared, or if there is no previous report. */
  readonly change: ShownChange | null;
  /** Its counts at its end; null if nothing has changed them since. */
  readonly at_end: CountsAtEnd | null;
  /** Its size in the database; null until it is measured. */
  readonly size: ReportSize | null;
}

/** The counts of a report at its end. */
export interface CountsAtEnd {
  readonly checked_pages: number;
  readonly passed_pages: number;
  readonly checks: Readonly<Record<CheckKind, CountsOfKind>>;
}

export type CountsOfKind = Pick<ReportCheckCounts, Exclude<(typeof CHECK_COUNTS)[number], 'pending'>>;

/** A report with the checks that its reader can see. */
export interface VisibleReport extends Omit<ReportWithChecks, 'checked_pages' | 'passed_pages' | 'change' | 'at_end'> {
  /** Web pages whose checks have all run; null if its reader sees several kinds of check, and not all of the report. */
  readonly checked_pages: number | null;
  /** Checked pages without errors that are not muted; null like `checked_pages`. */
  readonly passed_pages: number | null;
  readonly at_end: (Pick<VisibleReport, 'checked_pages' | 'passed_pages'> & Pick<CountsAtEnd, 'checks'>) | null;
  /**
   * What changed; null also if its reader does not see all of it, undefined if the reader has no access to the previous report.
   */
  readonly change: ShownChange | null | undefined;
}

export type ReportCheckCounts = Omit<ReportCheck, 'report_id' | 'kind'>;

/** Whose reports to list: the account's own, its guests', or both. */
export const REPORT_CREATORS = ['me', 'all', 'guests'] as const;

export interface ReportCreators {
  readonly accountId: string;
  /** Default `me`. */
  readonly createdBy?: (typeof REPORT_CREATORS)[number] | undefined;
  /** Restricts the reports of guests to these guest accounts. */
  readonly guestAccountIds?: readonly string[] | undefined;
}

export interface ReportFilter extends ReportCreators {
  /** Part of the starting URL. */
  readonly url?: string | undefined;
  /** Part of the name of the site or of the starting URL. */
  readonly text?: string | undefined;
  readonly tags?: TagFilter | undefined;
  readonly status?: ReportStatus | undefined;
  readonly scheduleId?: string | undefined;
  readonly siteId?: string | undefined;
}

/** The sort keys of lists of reports, except the counts of checks. */
const SORTS = {
  url: sql`reports.starting_url COLLATE "C"`,
  num_web_pages: sql`reports.num_pages`,
  // PostgreSQL sorts null as the greatest value, as required: a report that was never checked counts as the most recent.
  last_checked_at: sql`reports.last_checked_at`,
} as const satisfies Record<string, RawBuilder<unknown>>;

/** The counts of a kind of check that reports can be sorted by. */
const COUNTS = {
  issues: sql`c.errors + c.warnings`,
  errors: sql`c.errors`,
  warnings: sql`c.warnings`,
} as const satisfies Record<string, RawBuilder<unknown>>;

export const SORTABLE_COUNTS = Object.keys(COUNTS) as readonly (keyof typeof COUNTS)[];

export interface ReportOrder {
  readonly key: keyof typeof SORTS | { readonly kind: CheckKind; readonly count: keyof typeof COUNTS };
  readonly direction: Direction;
}

const checks = sql<ReportWithChecks['checks']>`(
  SELECT coalesce(jsonb_object_agg(c.kind, to_jsonb(c) - '{report_id,kind}'::text[]), '{}')
  FROM report_checks c WHERE c.report_id = reports.id)`;

const atEnd = sql<CountsAtEnd | null>`CASE WHEN reports.changed_since_end THEN jsonb_build_object(
  'checked_pages', checked_pages_at_end, 'passed_pages', passed_pages_at_end, 'checks', (
    SELECT coalesce(jsonb_object_agg(c.kind, to_jsonb(c) - '{report_id,kind}'::text[]), '{}')
    FROM report_checks_at_end c WHERE c.report_id = reports.id)) END`;

const hostId = sql<string | null>`(
  SELECT g.host_id FROM guest_accounts g WHERE g.id = reports.guest_account_id AND g.deleted_at IS NULL)`;

const nameOfSite = sql<string>`(SELECT s.name FROM sites s WHERE s.id = reports.site_id)`;

const derived = [
  checks.as('checks'),
  atEnd.as('at_end'),
  hostId.as('host_id'),
  previous.as('previous'),
  fixEffect.as('fix_effect'),
  changeOfReport(sql`reports.id`).as('change'),
  sql<string>`(SELECT a.name FROM accounts a WHERE a.id = reports.account_id)`.as('owner_name'),
  nameOfSite.as('site_name'),
  sql<ReportSize | null>`(SELECT to_jsonb(z) - '{report_id,measured_at}'::text[] FROM report_sizes z
    WHERE z.report_id = reports.id)`.as('size'),
] as const;

/** Whether the comparison, the fix plan and other insights of a report reflect its current state. */
export function hasCurrentInsights(report: Pick<Report, 'status' | 'insights_pending'>): boolean {
  return report.status === 'finished' && !report.insights_pending;
}

/** Returns a page of an account's reports. Ties are broken by id, in the direction of the last key. */
export async function listReports(
  db: Executor,
  filter: ReportFilter,
  orders: readonly ReportOrder[],
  page: PageRequest,
): Promise<ListPage<ReportWithChecks>> {
  let list = db.selectFrom('reports').where(createdBy(filter)).where('deleted_at', 'is', null);
  if (filter.url !== undefined) list = list.where(contains(sql.ref('reports.starting_url'), filter.url));
  if (filter.text !== undefined)
    list = list.where(contains(sql`concat_ws(' ', ${nameOfSite}, reports.starting_url)`, filter.text));
  if (filter.tags !== undefined) list = list.where(taggedWith(sql.ref('reports.tags'), filter.tags));
  if (filter.status !== undefined) list = list.where('status', '=', filter.status);
  if (filter.scheduleId !== undefined) list = list.where('schedule_id', '=', filter.scheduleId);
  if (filter.siteId !== undefined) list = list.where('site_id', '=', filter.siteId);

  return listPage(list, page, (reports) => {
    let rows = reports.selectAll('reports').select(derived);
    for (const { key, direction } of orders) {
      rows = rows.orderBy(typeof key === 'string' ? SORTS[key] : issuesOf(key.kind, COUNTS[key.count]), direction);
    }
    return rows.orderBy('reports.id', orders.at(-1)?.direction ?? 'desc');
  });
}

export async function findReport(db: Executor, id: string): Promise<ReportWithChecks | undefined> {
  return db
    .selectFrom('reports')
    .selectAll('reports')
    .select(derived)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the reports that exist, in any order. */
export async function findReports(db: Executor, ids: readonly string[]): Promise<ReportWithChecks[]> {
  return db
    .selectFrom('reports')
    .selectAll('reports')
    .select(derived)
    .where(sql<boolean>`id = ANY(${[...ids]}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute();
}

/** Selects whether a report ended before it was complete. @param error its `crawl_error` */
export function isCutShort(error: Expression<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${error}->>'code' = ANY(${sql.lit(`{${CUT_SHORT.join()}}`)}::text[]), false)`;
}

/** Returns whether none of the reports has been deleted. */
export async function allExist(db: Executor, ids: readonly string[]): Promise<boolean> {
  const wanted = [...new Set(ids)];
  const found = db
    .selectFrom('reports')
    .where(sql<boolean>`id = ANY(${wanted}::uuid[])`)
    .where('deleted_at', 'is', null);
  return (await countRows(found)) === wanted.length;
}

/** Builds the condition that the filter includes the creator of a report. */
export function createdBy({
  accountId,
  createdBy: creator = 'me',
  guestAccountIds,
}: ReportCreators): RawBuilder<SqlBool> {
  const own = sql<SqlBool>`account_id = ${accountId}`;
  if (creator === 'me') return own;
  // With an array, PostgreSQL uses an index, even in combination with another condition.
  const guests = sql<SqlBool>`guest_account_id = ANY(ARRAY(${guestAccountsOf(accountId, guestAccountIds, 'id')}))`;
  return creator === 'guests' ? guests : sql<SqlBool>`(${own} OR ${guests})`;
}

/** Selects a column of a host's guest accounts, or of the guest accounts with some ids. */
export function guestAccountsOf(
  hostId: string,
  ids: readonly string[] | undefined,
  column: 'id' | 'guest_id',
): RawBuilder<unknown> {
  const chosen = ids === undefined ? sql`` : sql`AND g.id = ANY(${[...ids]})`;
  return sql`SELECT ${sql.ref(`g.${column}`)} FROM guest_accounts g
    WHERE g.host_id = ${hostId} AND g.deleted_at IS NULL ${chosen}`;
}

/** Selects a count of one kind of check; 0 if the kind is not enabled. */
function issuesOf(kind: CheckKind, count: Expression<unknown>): RawBuilder<unknown> {
  return sql`coalesce(
    (SELECT ${count} FROM report_checks c WHERE c.report_id = reports.id AND c.kind = ${sql.lit(kind)}), 0)`;
}

export interface NewReport extends ReportDefinition {
  readonly accountId: string;
  /** Its site; the site with its starting URL if absent. */
  readonly siteId?: string;
  /** The schedule that creates the report, if any. */
  readonly scheduleId?: string;
  /** What makes the run fail, from its schedule. */
  readonly failOn?: readonly FailOn[];
  /** Whether a deploy hook creates it. Default false. */
  readonly isDeployed?: boolean;
  readonly siteAccess: SiteAccess;
  /** Whether it signs in with the login of its site, if that has one. Default false. */
  readonly takesLogin?: boolean;
  /** The settings that its site decides. Default: none. */
  readonly unset?: UnsetMeasure;
  /** Whether it will be deleted as soon as it has ended. Default false. */
  readonly isTemporary?: boolean;
}

/**
 * Inserts a report with its enabled checks, its exclusions and, if it is shared, its link, for the guest account if the account
 * is a guest.
 * @returns its id
 */
export async function insertReport(
  trx: Transaction<Schema>,
  credentialStore: CredentialStore,
  input: NewReport,
): Promise<string> {
  const { unset = [] } = input;
  // A check in a pipeline depends only on its own arguments.
  const takesLogin = input.takesLogin === true && input.isTemporary !== true;
  if (input.siteId !== undefined) await requireSite(trx, input.accountId, input.siteId);
  const open = takesLogin ? [...unset, 'signs_in' as const] : unset;
  const siteId = input.siteId ?? (await siteFor(trx, input.accountId, settingsOf(credentialStore, input), open));
  const siteAccess = takesLogin ? await withSiteLogin(trx, credentialStore, siteId, input) : input.siteAccess;
  const settings = { ...settingsOf(credentialStore, { ...input, siteAccess }), keepsAccess: takesLogin };
  const columns = { ...columnsOf(input), ...(await measureAtSite(trx, siteId, input, unset)) };
  // A check in a pipeline is not part of the history.
  if (!input.isTemporary) await useSite(trx, siteId, input.scheduleId === undefined ? settings : undefined, unset);
  const link = input.shared ? keepSecret(credentialStore.box, newSecret()) : null;
  const account = sql`${input.accountId}::uuid`;
  const { signedIn, name } = signedInWith(siteAccess);
  const { id } = await trx
    .insertInto('reports')
    .values({
      account_id: input.accountId,
      site_id: siteId,
      schedule_id: input.scheduleId ?? null,
      fail_on: input.failOn === undefined ? null : [...input.failOn],
      by_deploy_hook: input.isDeployed ?? false,
      temporary: input.isTemporary ?? false,
      guest_account_id: guestAccountOf(account),
      payer_id: payerIdOf(account),
      domain: new URL(input.starting_url).hostname,
      crawl_hosts: [hostOf(input.starting_url)],
      share_hash: link?.hash ?? null,
      share_sealed: link?.sealed ?? null,
      tested_standard: columns.standard,
      signed_in: signedIn,
      signed_in_as: name,
      ...columns,
      journeys: storableJson(columns.journeys),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const sealed = credentialStore.seal(siteAccess, `report ${id}`);
  if (sealed !== null) await trx.updateTable('reports').set({ site_access: sealed }).where('id', '=', id).execute();
  if (input.checks.length > 0) {
    const rows = input.checks.map((kind, position) => ({
      report_id: id,
      kind,
      position,
      store_raw: input.store_raw_checks.includes(kind),
    }));
    await trx.insertInto('report_checks').values(rows).execute();
  }
  if (input.exclusions.length > 0) {
    const rows = input.exclusions.map((url) => ({ report_id: id, url, reason: 'exclusion' as const }));
    await trx.insertInto('excluded_urls').values(rows).execute();
  }
  return id;
}

/** Returns the credentials of a report: with the login of its site, if there is one. */
async function withSiteLogin(
  trx: Transaction<Schema>,
  credentialStore: CredentialStore,
  siteId: string,
  { siteAccess, starting_url: startingUrl }: NewReport,
): Promise<SiteAccess> {
  const ofSite = await findSiteLogin(trx, credentialStore, siteId, startingUrl);
  const { journeys } = siteAccess;
  return ofSite === null ? siteAccess : { ...ofSite, ...(journeys !== undefined && { journeys }) };
}

/** Returns the settings of a report as its site keeps them. */
export function settingsOf(
  credentialStore: CredentialStore,
  { siteAccess, ...input }: ReportDefinition & { readonly siteAccess: SiteAccess },
): SiteSettings {
  const { checks, store_raw_checks } = input;
  return {
    definition: { ...columnsOf(input), checks, store_raw_checks },
    seal: (siteId) => credentialStore.seal(siteAccess, `site ${siteId}`),
    signsIn: !isNoAccess(siteAccess),
  };
}

/** Serializes the creation of reports for the same payer, so that the limit on their number is exact. */
export async function lockNewReports(trx: Transaction<Schema>, payerId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.newReports}, hashtext(${payerId}))`.execute(trx);
}
