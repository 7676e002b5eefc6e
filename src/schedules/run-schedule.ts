import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import { hasPro } from '../../packages/client/report-defaults.ts';
import { type LimitsOfPlans, withinPlan } from '../accounts/plans.ts';
import { type Failure, sentenceOf } from '../domain/failures/failure.ts';
import type { Clock } from '../platform/clock.ts';
import { isTransient } from '../platform/database-errors.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { hashSecret } from '../platform/kept-secret.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { createReport, TooManyReports } from '../reports/create-report.ts';
import { findPlan } from '../store/accounts/guest-accounts.ts';
import { CreditsExhausted } from '../store/credits/credits.ts';
import { type Database, type Executor, inSavepoint, inTransaction } from '../store/database.ts';
import { recordNoCredits } from '../store/notifications/notification-events.ts';
import { type CredentialStore, UnreadableAccess } from '../store/reports/credential-store.ts';
import { findReport } from '../store/reports/reports.ts';
import { recordHookMessage, reportOfHookMessage } from '../store/schedules/hook-messages.ts';
import {
  findSchedule,
  lockDueSchedule,
  lockSchedule,
  nextRunAfter,
  recordHookCall,
  reportOfHookCall,
  type Schedule,
  startTimeOf,
  updateSchedule,
} from '../store/schedules/schedules.ts';
import type { Schema } from '../store/schema.ts';
import { type HookCall, isBeforeDeployment, messageIdOf, requireSignature } from './hook-signature.ts';
import { type ScheduleTime, storedNextRun } from './schedule-time.ts';

interface RunParts {
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
}

interface RunOptions extends RunParts {
  readonly now: Date;
  /** Whether the schedule's deploy hook was called. Default: false. */
  readonly isDeployed?: boolean;
}

/**
 * Creates the report of a schedule that the transaction has locked, or stores with the schedule why that failed.
 * @returns the report's id, or the error: the plan no longer includes schedules, the credentials cannot be decrypted, or an error
 *   of `createReport`
 */
export async function runSchedule(
  trx: Transaction<Schema>,
  schedule: Schedule,
  { now, planLimits, credentialStore, isDeployed = false }: RunOptions,
): Promise<string | AppError> {
  const { id: scheduleId, account_id: accountId, definition } = schedule;
  try {
    return await inSavepoint(trx, async () => {
      const plan = await findPlan(trx, accountId);
      if (!hasPro({ plan })) throw new PlanWithoutSchedules();
      const reportId = await createReport(trx, credentialStore, {
        ...withinPlan(definition, planLimits[plan]),
        ...{ accountId, scheduleId, siteId: schedule.site_id, failOn: schedule.fail_on, isDeployed },
        siteAccess: credentialStore.open(schedule.site_access, `schedule ${scheduleId}`),
        waitingReportsMax: planLimits[plan].waiting_reports,
      });
      await updateSchedule(trx, scheduleId, { last_run_at: now, last_run_error: null });
      return reportId;
    });
  } catch (error) {
    if (!isRunError(error)) throw error;
    await updateSchedule(trx, scheduleId, { last_run_error: JSON.stringify(error.failure) });
    if (error instanceof CreditsExhausted) await recordNoCredits(trx, { id: scheduleId, accountId }, error.payer);
    return error;
  }
}

/** The plan no longer includes schedules. */
class PlanWithoutSchedules extends AppError {
  readonly failure: Failure = { code: 'plan_without_schedules', params: {} };

  constructor() {
    super('pro_required', sentenceOf({ code: 'plan_without_schedules', params: {} }));
  }
}

/** Whether an error is stored with the schedule until a run creates a report. */
function isRunError(error: unknown): error is AppError & { readonly failure: Failure } {
  return [PlanWithoutSchedules, CreditsExhausted, TooManyReports, UnreadableAccess].some(
    (kind) => error instanceof kind,
  );
}

/** Calls within this time after a call that created a report return the same report. */
const repeatedCallMaxMs = 10_000;

interface FireParts extends RunParts {
  readonly db: Executor;
  readonly clock: Clock;
}

/**
 * Runs a schedule because its deploy hook was called. Calls shortly after a call that created a report belong to the same
 * deployment and return the same report. So do repetitions of a call with a signed id.
 * @returns the report's id; null if the call reports that nothing has been deployed yet
 * @throws AppError not_found for a wrong secret, forbidden without the required signature, conflict if the schedule is inactive
 *   or the report of a repeated call has been deleted, and the errors of `runSchedule`
 */
export async function fireSchedule(
  { db, clock, ...parts }: FireParts,
  id: string,
  secret: string,
  call: HookCall,
): Promise<string | null> {
  const known = await findSchedule(db, id);
  // Always compared, so that the response time does not reveal whether the schedule exists.
  const given = hashSecret(secret);
  if (!timingSafeEqual(given, known?.hook_hash ?? NO_HASH) || known === undefined) throw notFound();
  if (known.hook_signature !== null) {
    requireSignature(known, parts.credentialStore, call, clock());
    if (isBeforeDeployment(known.hook_signature, call)) return null;
  }
  const messageId = known.hook_signature === null ? null : messageIdOf(known.hook_signature, call);
  return runActive({ db, clock, ...parts, isDeployed: true }, id, async (trx, run) => {
    const repeatedId = messageId === null ? null : await reportOfHookMessage(trx, id, messageId);
    if (repeatedId !== null) return (await findReport(trx, repeatedId))?.id ?? new AppError('conflict', REPEATED_CALL);
    const earlierId = await reportOfEarlierCall(trx, id);
    const reportId = earlierId ?? (await run());
    if (typeof reportId !== 'string') return reportId;
    if (earlierId === undefined) await recordHookCall(trx, id, reportId);
    if (messageId !== null) await recordHookMessage(trx, { scheduleId: id, messageId, reportId });
    return reportId;
  });
}

/**
 * Runs a schedule at the request of its owner.
 * @returns the report's id
 * @throws AppError conflict if the schedule is inactive, and the errors of `runSchedule`
 */
export function runScheduleNow(parts: FireParts, id: string): Promise<string> {
  return runActive(parts, id, (_, run) => run());
}

const REPEATED_CALL = 'This call was already received, and its report has been deleted. Send a call with another id.';

type Run = () => Promise<string | AppError>;

/** Locks an active schedule for `act`, and throws the error of a run after its reason has been stored with the schedule. */
async function runActive(
  { db, clock, ...parts }: FireParts & Pick<RunOptions, 'isDeployed'>,
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

/** How long a process skips a schedule after an unexpected error, or if too many reports are waiting. */
const restAfterFaultMs = 60_000;
/** The same if the database was unavailable, read-only or busy. */
const restWhilePassingMs = 3_000;
/** The longest timer: the clock may be set, or the machine may sleep in the meantime. */
const timerMaxMs = 3_600_000;

interface SchedulingParts extends ScheduleTime, RunParts {
  readonly db: Database;
  readonly worker: Worker;
  readonly log: Logger;
}

/**
 * Runs schedules when they are due, until stopped. Several processes may do so at the same time. A timer waits for the earliest
 * run; it is reset when schedules change, and regularly by the worker.
 */
export function startScheduling(parts: SchedulingParts): { stop(): Promise<void> } {
  const { db, worker, log } = parts;
  const resting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const onPutOff = (scheduleId: string, reason: unknown): void => {
    const level = reason instanceof TooManyReports ? 'warn' : 'error';
    log[level]({ err: reason, scheduleId }, 'A schedule could not be run; will retry');
    resting.add(scheduleId);
    const restMs = isTransient(reason) ? restWhilePassingMs : restAfterFaultMs;
    setTimeout(() => resting.delete(scheduleId), restMs).unref();
  };
  const waitForNext = async (): Promise<void> => {
    const now = parts.clock();
    const next = await nextRunAfter(db, now, parts.scheduleTimeMs);
    clearTimeout(timer);
    if (next !== null) timer = setTimeout(work.wake, Math.min(next.getTime() - now.getTime(), timerMaxMs));
  };
  const work = startBackgroundWork(
    { worker, log },
    {
      topic: 'schedule',
      async doNext() {
        if (await runDueSchedule({ ...parts, onPutOff }, [...resting])) return true;
        await waitForNext();
        return false;
      },
      failure: 'Could not look for due schedules; will retry',
    },
  );

  return {
    async stop() {
      await work.stop();
      clearTimeout(timer);
    },
  };
}

interface DueParts extends Omit<SchedulingParts, 'worker'> {
  /** Called with a schedule that failed unexpectedly or with TooManyReports. It is still due. */
  onPutOff(scheduleId: string, reason: unknown): void;
}

/**
 * Runs one schedule that is due. One transaction under the schedule's lock creates the report and sets the next run, so every run
 * happens once, even if processes are killed, and regardless of their number. Several missed runs happen once in total.
 * @param skippedIds schedules to skip
 * @returns false if nothing is due, or other processes are running all due schedules
 */
export async function runDueSchedule(parts: DueParts, skippedIds: readonly string[]): Promise<boolean> {
  let scheduleId: string | undefined;
  try {
    return await parts.db.transaction().execute(async (trx) => {
      const now = parts.clock();
      const schedule = await lockDueSchedule(trx, { ...parts, now }, skippedIds);
      if (schedule === undefined) return false;
      scheduleId = schedule.id;
      const result = await runSchedule(trx, schedule, { ...parts, now });
      if (result instanceof TooManyReports) {
        // It stays due, so that its run is delayed instead of lost.
        parts.onPutOff(scheduleId, result);
        return true;
      }
      if (typeof result !== 'string')
        parts.log.warn({ scheduleId, reason: result.message }, 'A schedule could not create its report');
      const timing = { periodicity: schedule.periodicity, startTime: startTimeOf(schedule) };
      await updateSchedule(trx, scheduleId, { next_run_at: storedNextRun(scheduleId, timing, parts) });
      return true;
    });
  } catch (error) {
    if (scheduleId === undefined) throw error;
    parts.onPutOff(scheduleId, error);
    return true;
  }
}
