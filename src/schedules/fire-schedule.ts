import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { LimitsOfPlans } from '../accounts/plans.ts';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import { hashSecret } from '../platform/kept-secret.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { findReport } from '../store/reports.ts';
import { findSchedule, lockSchedule, recordHookCall, reportOfHookCall } from '../store/schedules.ts';
import type { Schema } from '../store/schema.ts';
import { runSchedule } from './run-schedule.ts';

/** Calls within this time after one that created a report return the same report. */
const repeatedCallMaxMs = 10_000;

export interface FireParts {
  readonly db: Executor;
  readonly clock: Clock;
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
}

/**
 * Runs a schedule because its deploy hook was called. Calls shortly after one that created a report belong to the same deployment
 * and return the same report.
 * @returns the report's id
 * @throws AppError not_found for a wrong secret, conflict if the schedule is inactive, and the errors of `runSchedule`
 */
export async function fireSchedule({ db, clock, ...parts }: FireParts, id: string, secret: string): Promise<string> {
  const known = await findSchedule(db, id);
  // Always compared, so that the response time does not reveal whether the schedule exists.
  const given = hashSecret(secret);
  if (!timingSafeEqual(given, known?.hook_hash ?? NO_HASH) || known === undefined) throw notFound();
  return runActive({ db, clock, ...parts }, id, async (trx, run) => {
    const earlierId = await reportOfEarlierCall(trx, id);
    if (earlierId !== undefined) return earlierId;
    const reportId = await run();
    if (typeof reportId === 'string') await recordHookCall(trx, id, reportId);
    return reportId;
  });
}

/**
 * Runs a schedule because its owner asks for it.
 * @returns the report's id
 * @throws AppError conflict if the schedule is inactive, and the errors of `runSchedule`
 */
export function runScheduleNow(parts: FireParts, id: string): Promise<string> {
  return runActive(parts, id, (_, run) => run());
}

type Run = () => Promise<string | AppError>;

/** Locks an active schedule, and throws the error of its run after the reason has been noted on it. */
async function runActive(
  { db, clock, ...parts }: FireParts,
  id: string,
  act: (trx: Transaction<Schema>, run: Run) => ReturnType<Run>,
): Promise<string> {
  const result = await inTransaction(db, async (trx) => {
    const schedule = await lockSchedule(trx, id);
    if (schedule === undefined) throw notFound();
    if (!schedule.active) throw new AppError('conflict', 'This schedule is inactive. Activate it, then call again.');
    return act(trx, () => runSchedule(trx, schedule, { ...parts, now: clock() }));
  });
  if (typeof result !== 'string') throw result;
  return result;
}

/** A hash that no secret has. */
const NO_HASH = Buffer.alloc(32);

/** Returns the report that a recent call created, unless it has been deleted. */
async function reportOfEarlierCall(trx: Transaction<Schema>, id: string): Promise<string | undefined> {
  const reportId = await reportOfHookCall(trx, id, repeatedCallMaxMs);
  return reportId === null ? undefined : (await findReport(trx, reportId))?.id;
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such resource.');
}
