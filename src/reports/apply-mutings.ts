import { requireRoom } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import { updateMutedIssues } from '../store/mutings/muting-counts.ts';
import type { Muting } from '../store/mutings/muting-tables.ts';
import {
  countMutings,
  countSelectors,
  expireMutings,
  insertMuting,
  lockMutings,
  markMutingDeleted,
  type NewMuting,
  nextPagesOf,
  nextReportOf,
} from '../store/mutings/mutings.ts';
import { announceWork } from '../store/work-topics.ts';
import { type Walk, walkOn } from './walk-reports.ts';

/** Mutings of one account: each is compared with every page and message that is saved. */
const MUTINGS_MAX = 1_000;
/** Mutings with a selector: each is compared with the elements of every issue, on each page. */
const SELECTORS_MAX = 100;

/**
 * Creates a muting. It applies to results that are saved from now on, and to existing reports in the background. With a selector,
 * it only applies to pages that are checked from now on.
 * @returns the new muting's id
 * @throws AppError invalid if the account has reached the maximum
 */
export function createMuting(db: Executor, muting: NewMuting): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockMutings(trx, muting.account_id);
    requireRoom(await countMutings(trx, muting.account_id), MUTINGS_MAX, 'mutings');
    if (muting.selector != null)
      requireRoom(await countSelectors(trx, muting.account_id), SELECTORS_MAX, 'mutings with a selector');
    const id = await insertMuting(trx, muting);
    await announceWork(trx, ['mutings']);
    return id;
  });
}

/** Deletes a muting. Issues that only it muted are shown again in the background. */
export function deleteMuting(db: Executor, id: number): Promise<void> {
  return inTransaction(db, async (trx) => {
    await markMutingDeleted(trx, id);
    await announceWork(trx, ['mutings']);
  });
}

/** Applies created, deleted and expired mutings to existing reports until stopped. */
export function startApplyingMutings(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: 'mutings',
    // The worker wakes this task every few seconds, so mutings expire soon after their time.
    async doNext() {
      await withdrawExpired(parts.db);
      return applyNextBatch(parts.db);
    },
    failure: 'Could not apply a muting to existing reports; will retry',
  });
}

/** Marks expired mutings in a separate transaction, which commits before they are applied again. */
export function withdrawExpired(db: Database): Promise<void> {
  return db.transaction().execute(expireMutings);
}

/**
 * Applies one created, deleted or expired muting to the next batch of pages. The pages are matched with all mutings, so the order
 * in which mutings are applied does not matter.
 * @returns false if no muting is pending, or other processes are applying all of them
 */
export function applyNextBatch(db: Database, pagesMax?: number): Promise<boolean> {
  return walkOn(db, 'mutings', WALK, pagesMax);
}

const WALK: Walk<Muting> = {
  nextReport: nextReportOf,
  nextPages: nextPagesOf,
  async apply(change, _, webPageIds) {
    await updateMutedIssues(change, webPageIds);
    return true;
  },
};
