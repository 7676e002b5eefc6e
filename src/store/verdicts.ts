import type { FailOn } from '../domain/fail-on.ts';
import type { ReportChange } from './change-report.ts';

/** Returns what makes the report a bad one; null if no schedule created it. */
export async function failOnOf({ trx, reportId }: ReportChange): Promise<readonly FailOn[] | null> {
  const report = trx.selectFrom('reports').select('fail_on').where('id', '=', reportId);
  return (await report.executeTakeFirstOrThrow()).fail_on;
}

/** Sets how many issues and unchecked pages make the report a bad one. */
export async function saveNumFailing({ trx, reportId }: ReportChange, numFailing: number): Promise<void> {
  await trx.updateTable('reports').set({ num_failing: numFailing }).where('id', '=', reportId).execute();
}
