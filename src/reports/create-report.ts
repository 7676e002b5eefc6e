import type { Transaction } from 'kysely';
import { type Failure, sentenceOf } from '../domain/failures/failure.ts';
import { accountDisabled, RetryLater } from '../platform/errors.ts';
import { countWaitingCrawls } from '../queue/fair-shares.ts';
import { findAccount } from '../store/accounts/accounts.ts';
import { CreditsExhausted, payerOfReport, shortageOf } from '../store/credits/credits.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { insertReportMutings, type ReportMuting } from '../store/mutings/report-bound-mutings.ts';
import { requireResumed } from '../store/pause.ts';
import { announceChanges } from '../store/reports/change-announcements.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { insertReport, lockNewReports, type NewReport } from '../store/reports/reports.ts';
import type { Schema } from '../store/schema.ts';
import { announceWork } from '../store/work-topics.ts';

export interface NewReportInput extends NewReport {
  /** How many reports may wait to be crawled, including this one. Absent: any number. */
  readonly waitingReportsMax?: number;
  /** Mutings for this report only. */
  readonly mutings?: readonly ReportMuting[];
}

/**
 * Creates a report and wakes the spider. The report of a guest is created on behalf of its host.
 * @returns the new report's id
 * @throws AppError credits_exhausted if there is no credit; paused; account_disabled; TooManyReports
 */
export function createReport(db: Executor, credentialStore: CredentialStore, input: NewReportInput): Promise<string> {
  return inTransaction(db, async (trx) => {
    await requireResumed(trx);
    const account = await findAccount(trx, input.accountId);
    if (account?.disabled_at) throw accountDisabled();
    const id = await insertReport(trx, credentialStore, input);
    await insertReportMutings(trx, { accountId: input.accountId, reportId: id }, input.mutings ?? []);
    const payer = await payerOfReport(trx, id);
    const shortage = shortageOf(payer, 1);
    if (shortage !== null) throw new CreditsExhausted(shortage);
    if (input.waitingReportsMax !== undefined) await refuseTooMany(trx, payer.accountId, input.waitingReportsMax);
    await announceWork(trx, ['crawl']);
    await announceChanges(trx, [input.accountId, payer.accountId]);
    return id;
  });
}

/** @throws TooManyReports if more than `max` reports wait to be crawled */
async function refuseTooMany(trx: Transaction<Schema>, payerId: string, max: number): Promise<void> {
  await lockNewReports(trx, payerId);
  if ((await countWaitingCrawls(trx, payerId, max + 1)) > max) throw new TooManyReports(max);
}

/** Seconds after which some of the waiting reports may have started. */
const RETRY_AFTER_S = 60;

/** The plan allows no more waiting reports. */
export class TooManyReports extends RetryLater {
  readonly failure: Failure;

  /** @param max how many may wait */
  constructor(max: number) {
    const failure: Failure = { code: 'too_many_waiting', params: { max } };
    super('too_many_reports', sentenceOf(failure), RETRY_AFTER_S);
    this.failure = failure;
  }
}
