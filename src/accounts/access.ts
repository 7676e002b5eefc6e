import type { Measure } from '../../packages/client/standards.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { findGuestAccount, type SharedAccount } from '../store/accounts/guest-accounts.ts';
import type { Executor } from '../store/database.ts';
import { isCompleteReport } from '../store/reports/complete-reports.ts';
import { findReport, type ReportWithChecks } from '../store/reports/reports.ts';
import { findSite, type SiteFilter, type SiteRow } from '../store/reports/site-list.ts';
import type { Plan, TokenScope } from '../store/schema.ts';
import type { PlanLimits } from './plans.ts';

/** What a share link opens: one report by its id, or the complete reports of sites, as long as they are in use. */
export type OpenLink =
  | { readonly opens: 'report'; readonly id: string }
  | {
      readonly opens: 'sites';
      /** The id of the link. */
      readonly id: string;
      readonly siteIds: readonly string[];
    };

/** Who makes a request: the account that its token belongs to, or a person with a share link. */
export interface Viewer {
  /** `NO_ACCOUNT` for a person with a share link. */
  readonly accountId: string;
  /** The share link; null for accounts. */
  readonly link: OpenLink | null;
  /** The effective plan: the host's for a guest, else the account's own. */
  readonly plan: Plan;
  /** The limits of that plan. */
  readonly limits: PlanLimits;
  /** Guest accounts that the account's own plan allows: a guest cannot share what its host shares. */
  readonly guestAccountsMax: number;
  /** The defaults of `standard` and `best_practices` for new reports. */
  readonly measure: Measure;
  readonly scope: TokenScope;
  /** Whether the account may see and manage the whole installation. */
  readonly isOperator: boolean;
  /** When the token expires; null: never. */
  readonly tokenExpiresAt: Date | null;
}

/** An id that no account has. */
export const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/** @throws AppError forbidden unless the viewer's account is an operator */
export function requireOperator(viewer: Pick<Viewer, 'isOperator'>): void {
  if (!viewer.isOperator) throw new AppError('forbidden', 'Only operators of this installation can do this.');
}

/** What a viewer may do with a report: everything, read it, or not even learn that it exists. */
export type Access = 'all' | 'read' | 'none';

/** What decides who may access a report. */
type AccessedReport = Pick<ReportWithChecks, 'id' | 'account_id' | 'host_id' | 'shared' | 'site_id'> &
  Parameters<typeof isCompleteReport>[0];

/** The rule of docs/contract/protocol.md#access. Every endpoint uses it, through one of the functions below. */
export function accessTo(report: AccessedReport, viewer: Pick<Viewer, 'accountId' | 'link'>): Access {
  if (viewer.link !== null) return isOpen(report, viewer.link) ? 'read' : 'none';
  if (report.account_id === viewer.accountId || report.host_id === viewer.accountId) return 'all';
  return report.shared ? 'read' : 'none';
}

function isOpen(report: AccessedReport, link: OpenLink): boolean {
  if (link.opens === 'report') return report.shared && report.id === link.id;
  return link.siteIds.includes(report.site_id) && isCompleteReport(report);
}

/**
 * Returns a report for reading it and everything in it.
 * @throws AppError not_found, which never reveals whether another account's private report exists
 */
export async function readableReport(db: Executor, viewer: Viewer, reportId: string): Promise<ReportWithChecks> {
  const report = await findReport(db, reportId);
  if (report === undefined || accessTo(report, viewer) === 'none') {
    throw notFound('report');
  }
  return report;
}

/** Whether a viewer may read a report. If not, other reports that mention it must not disclose its contents. */
export async function mayRead(db: Executor, viewer: Viewer, reportId: string): Promise<boolean> {
  const report = await findReport(db, reportId);
  return report !== undefined && accessTo(report, viewer) !== 'none';
}

/**
 * Whether a viewer who can read a report may also get the source and the screenshots of its pages. Pages behind a sign-in are
 * only for viewers who could sign in themselves, so readers of a shared report get none of them if the report signs in.
 */
export function mayReadContent(
  report: AccessedReport & Pick<ReportWithChecks, 'site_access'>,
  viewer: Pick<Viewer, 'accountId' | 'link'>,
): boolean {
  const access = accessTo(report, viewer);
  return access === 'all' || (access === 'read' && report.site_access === null);
}

/**
 * Returns a report for changing it or anything in it.
 * @throws AppError not_found; forbidden if the viewer sees the report only because it is shared
 */
export async function writableReport(db: Executor, viewer: Viewer, reportId: string): Promise<ReportWithChecks> {
  const report = await readableReport(db, viewer, reportId);
  if (accessTo(report, viewer) !== 'all') {
    throw new AppError('forbidden', 'This report is shared with you as read-only: only its owner can change it.');
  }
  return report;
}

/**
 * Returns a site of the account or of one of its guests.
 * @param shown the kinds of check whose errors are shown, and the time of schedules without a time of day
 * @throws AppError not_found, which never reveals whether another account has it
 */
export async function readableSite(
  db: Executor,
  { accountId }: Pick<Viewer, 'accountId'>,
  id: string,
  shown: Pick<SiteFilter, 'kinds' | 'seesAllKinds' | 'scheduleTimeMs'>,
): Promise<SiteRow> {
  const site = await findSite(db, { accountId, createdBy: 'all', id, ...shown });
  if (site === undefined) throw notFound('site');
  return site;
}

/**
 * Returns a resource that belongs to one account and is never shared.
 * @throws AppError not_found, which never reveals whether another account has it
 */
export function owned<Thing extends { readonly account_id: string }>(viewer: Viewer, thing: Thing | undefined): Thing {
  if (thing?.account_id !== viewer.accountId) throw notFound();
  return thing;
}

/**
 * Returns a guest account for reading, by its host or its guest.
 * @throws AppError not_found, which never reveals whether another account has it
 */
export async function readableGuestAccount(db: Executor, viewer: Viewer, id: string): Promise<SharedAccount> {
  const account = await findGuestAccount(db, id);
  if (account === undefined || ![account.host_id, account.guest_id].includes(viewer.accountId)) {
    throw notFound('guest account');
  }
  return account;
}

/**
 * Returns a guest account for changing, by its host. Both may end it.
 * @throws AppError not_found; forbidden for its guest
 */
export async function writableGuestAccount(db: Executor, viewer: Viewer, id: string): Promise<SharedAccount> {
  const account = await readableGuestAccount(db, viewer, id);
  if (account.host_id !== viewer.accountId) {
    throw new AppError('forbidden', 'Only the host can change this guest account.');
  }
  return account;
}
