import { createHash, timingSafeEqual } from 'node:crypto';
import type { LimitsOfPlans } from '../accounts/plans.ts';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { AccessVault } from '../reports/access-vault.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { findReport } from '../store/reports.ts';
import { findSchedule, lockSchedule, type Schedule, updateSchedule } from '../store/schedules.ts';
import { repeatedCallMaxMs } from './limits.ts';
import { runSchedule } from './run-schedule.ts';

export interface FireParts {
  readonly db: Executor;
  readonly clock: Clock;
  readonly planLimits: LimitsOfPlans;
  readonly vault: AccessVault;
}

/**
 * Runs a schedule at once, because its deploy hook was called. Calls that follow closely on one that made a report are of
 * the same deployment: they get the same report.
 * @returns the report's id
 * @throws AppError not_found for a wrong secret, conflict when the schedule is inactive, and what keeps a report from
 *   being made
 */
export async function fireSchedule({ db, clock, ...parts }: FireParts, id: string, secret: string): Promise<string> {
  const known = await findSchedule(db, id);
  // Compared in any case, so that the time it takes does not tell whether there is such a schedule.
  if (!isSame(secret, known?.hook_secret ?? '') || known === undefined) throw notFound();
  const result = await inTransaction(db, async (trx) => {
    const schedule = await lockSchedule(trx, id);
    if (schedule === undefined) throw notFound();
    if (!schedule.active) throw new AppError('conflict', 'This schedule is inactive. Activate it, then call again.');
    const now = clock();
    const earlierId = await reportOfEarlierCall(trx, schedule, now);
    if (earlierId !== undefined) return earlierId;
    const reportId = await runSchedule(trx, schedule, { ...parts, now });
    if (typeof reportId === 'string') await updateSchedule(trx, id, { hook_called_at: now, hook_report_id: reportId });
    return reportId;
  });
  if (typeof result !== 'string') throw result;
  return result;
}

/** The report that a call made a moment ago, when nobody has deleted it since. */
async function reportOfEarlierCall(db: Executor, schedule: Schedule, now: Date): Promise<string | undefined> {
  const { hook_called_at: calledAt, hook_report_id: reportId } = schedule;
  if (calledAt === null || reportId === null || now.getTime() - calledAt.getTime() >= repeatedCallMaxMs)
    return undefined;
  return (await findReport(db, reportId))?.id;
}

/** Compares hashes, which are of one length, so that the time tells nothing about how much of the secret is right. */
function isSame(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such resource.');
}
