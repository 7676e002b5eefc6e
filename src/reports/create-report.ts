import type { Transaction } from 'kysely';
import { countWaitingCrawls } from '../queue/fair-shares.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import { creditsExhausted, payerOfReport, shortageOf } from '../store/credits.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { insertReport, lockNewReports, type NewReport } from '../store/new-report.ts';
import type { Schema } from '../store/schema.ts';
import { announceWork } from '../store/work-topics.ts';
import { TooManyReports } from './too-many-reports.ts';

export interface NewReportInput extends NewReport {
  /** How many reports may wait to be crawled at a time, with this one. Absent: any number. */
  readonly waitingReportsMax?: number;
}

/**
 * Creates a report, on behalf of the host where the account is a guest; the spider takes it up at once.
 * @returns the new report's id
 * @throws AppError credits_exhausted when there is not a single credit; TooManyReports
 */
export function createReport(db: Executor, credentialStore: CredentialStore, input: NewReportInput): Promise<string> {
  return inTransaction(db, async (trx) => {
    const id = await insertReport(trx, credentialStore, input);
    const payer = await payerOfReport(trx, id);
    const shortage = shortageOf(payer, 1);
    if (shortage !== null) throw creditsExhausted(shortage);
    if (input.waitingReportsMax !== undefined) await refuseTooMany(trx, payer.accountId, input.waitingReportsMax);
    await announceWork(trx, ['crawl']);
    return id;
  });
}

/** @throws TooManyReports when more reports than that wait to be crawled */
async function refuseTooMany(trx: Transaction<Schema>, payerId: string, max: number): Promise<void> {
  await lockNewReports(trx, payerId);
  if ((await countWaitingCrawls(trx, payerId, max + 1)) > max) throw new TooManyReports(max);
}
