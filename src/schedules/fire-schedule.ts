import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { LimitsOfPlans } from '../accounts/plans.ts';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import { hashSecret } from '../platform/kept-secret.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { findReport } from '../store/reports.ts';
import { findSchedule, lockSchedule, recordHookCall, reportOfHookCall, type Schedule } from '../store/schedules.ts';
import type { Schema } from '../store/schema.ts';
import { repeatedCallMaxMs } from './limits.ts';
import { runSchedule } from './run-schedule.ts';

export interface FireParts {
  readonly db: Executor;
  readonly clock: Clock;
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
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
  const given = hashSecret(secret);
  if (!timingSafeEqual(given, known?.hook_hash ?? NO_HASH) || known === undefined) throw notFound();
  const result = await inTransaction(db, async (trx) => {
    const schedule = await lockSchedule(trx, id);
    if (schedule === undefined) throw notFound();
    if (!schedule.active) throw new AppError('conflict', 'This schedule is inactive. Activate it, then call again.');
    const earlierId = await reportOfEarlierCall(trx, schedule);
    if (earlierId !== undefined) return earlierId;
    const reportId = await runSchedule(trx, schedule, { ...parts, now: clock() });
    if (typeof reportId === 'string') await recordHookCall(trx, id, reportId);
    return reportId;
  });
  if (typeof result !== 'string') throw result;
  return result;
}

/** What no secret has for a hash. */
const NO_HASH = Buffer.alloc(32);

/** The report that a call made a moment ago, when nobody has deleted it since. */
async function reportOfEarlierCall(trx: Transaction<Schema>, { id }: Schedule): Promise<string | undefined> {
  const reportId = await reportOfHookCall(trx, id, repeatedCallMaxMs);
  return reportId === null ? undefined : (await findReport(trx, reportId))?.id;
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such resource.');
}
