import { AppError } from '../platform/errors.ts';
import type { Executor } from '../store/database.ts';
import { findGuestAccount, type SharedAccount } from '../store/guest-accounts.ts';
import { findReport, type ReportWithChecks } from '../store/reports.ts';
import type { Plan, TokenScope } from '../store/schema.ts';
import type { PlanLimits } from './plans.ts';

/** Who asks: the account behind a request's token. */
export interface Viewer {
  readonly accountId: string;
  /** The plan that counts: the host's for a guest, else the account's own. */
  readonly plan: Plan;
  /** What that plan allows. */
  readonly limits: PlanLimits;
  /** Guest accounts that the account's own plan allows: what a guest has from its host, it cannot pass on. */
  readonly guestAccountsMax: number;
  readonly scope: TokenScope;
  /** When the token ends; null is never. */
  readonly tokenExpiresAt: Date | null;
}

/** What somebody may do with a report: everything, look at it, or not even know that it exists. */
export type Access = 'all' | 'read' | 'none';

/** The rule of the contract's section 5.3. Every endpoint asks here, through one of the functions below. */
export function accessTo(
  report: Pick<ReportWithChecks, 'account_id' | 'host_id' | 'shared'>,
  viewer: Pick<Viewer, 'accountId'>,
): Access {
  if (report.account_id === viewer.accountId || report.host_id === viewer.accountId) return 'all';
  return report.shared ? 'read' : 'none';
}

/**
 * The report, for looking at it and everything in it.
 * @throws AppError not_found, which never reveals whether somebody else's private report exists
 */
export async function readableReport(db: Executor, viewer: Viewer, reportId: string): Promise<ReportWithChecks> {
  const report = await findReport(db, reportId);
  if (report === undefined || accessTo(report, viewer) === 'none') {
    throw new AppError('not_found', 'There is no such report.');
  }
  return report;
}

/**
 * The report, for changing it or anything in it.
 * @throws AppError not_found; forbidden when the viewer sees the report only because it is shared
 */
export async function writableReport(db: Executor, viewer: Viewer, reportId: string): Promise<ReportWithChecks> {
  const report = await readableReport(db, viewer, reportId);
  if (accessTo(report, viewer) !== 'all') {
    throw new AppError('forbidden', 'This report is shared with you for reading: only its owner can change it.');
  }
  return report;
}

/**
 * Something that belongs to an account alone and is never shared.
 * @throws AppError not_found, which never reveals whether somebody else has it
 */
export function owned<Thing extends { readonly account_id: string }>(viewer: Viewer, thing: Thing | undefined): Thing {
  if (thing?.account_id !== viewer.accountId) throw new AppError('not_found', 'There is no such resource.');
  return thing;
}

/**
 * The guest account, for its host and its guest to look at.
 * @throws AppError not_found, which never reveals whether somebody else has it
 */
export async function readableGuestAccount(db: Executor, viewer: Viewer, id: string): Promise<SharedAccount> {
  const account = await findGuestAccount(db, id);
  if (account === undefined || ![account.host_id, account.guest_id].includes(viewer.accountId)) {
    throw new AppError('not_found', 'There is no such guest account.');
  }
  return account;
}

/**
 * The guest account, for its host to change. To end it is for both.
 * @throws AppError not_found; forbidden for its guest
 */
export async function writableGuestAccount(db: Executor, viewer: Viewer, id: string): Promise<SharedAccount> {
  const account = await readableGuestAccount(db, viewer, id);
  if (account.host_id !== viewer.accountId) {
    throw new AppError('forbidden', 'Only the account that shares its credits can change this guest account.');
  }
  return account;
}
