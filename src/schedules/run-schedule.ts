import type { Transaction } from 'kysely';
import { hasPro, type LimitsOfPlans, withinPlan } from '../accounts/plans.ts';
import { AppError } from '../platform/errors.ts';
import { createReport } from '../reports/create-report.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import { inSavepoint } from '../store/database.ts';
import { findPlan } from '../store/guest-accounts.ts';
import { type Schedule, updateSchedule } from '../store/schedules.ts';
import type { Schema } from '../store/schema.ts';

interface RunParts {
  readonly now: Date;
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
}

/**
 * Creates the report of a schedule that the transaction has locked, or notes the reason for its failure on the schedule.
 * @returns the report's id, or the error: the plan no longer includes schedules, the credentials cannot be decrypted, or an error
 *   of `createReport`
 */
export async function runSchedule(
  trx: Transaction<Schema>,
  schedule: Schedule,
  { now, planLimits, credentialStore }: RunParts,
): Promise<string | AppError> {
  const { id: scheduleId, account_id: accountId, definition } = schedule;
  try {
    return await inSavepoint(trx, async () => {
      const plan = await findPlan(trx, accountId);
      if (!hasPro(plan)) throw new AppError('pro_required', 'Schedules need a Pro or Enterprise plan.');
      const reportId = await createReport(trx, credentialStore, {
        ...withinPlan(definition, planLimits[plan]),
        ...{ accountId, scheduleId, failOn: schedule.fail_on },
        siteAccess: credentialStore.open(schedule.site_access, `schedule ${scheduleId}`),
        waitingReportsMax: planLimits[plan].waiting_reports,
      });
      await updateSchedule(trx, scheduleId, { last_run_at: now, last_run_error: null });
      return reportId;
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await updateSchedule(trx, scheduleId, { last_run_error: error.message });
    return error;
  }
}
