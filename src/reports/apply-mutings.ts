import { AppError } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { changeReport } from '../store/change-report.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import { judgePages } from '../store/muted-issues.ts';
import {
  countMutings,
  endWalk,
  insertMuting,
  lockMutings,
  markMutingDeleted,
  moveWalk,
  type NewMuting,
  pagesOfWalk,
  reportOfWalk,
  takeWalk,
} from '../store/mutings.ts';
import { announceWork } from '../store/work-topics.ts';

/** Mutings of one account: each is compared with every page and message that is saved. */
const MUTINGS_MAX = 1_000;
/** Pages judged in one transaction: short enough that checks of the same report hardly wait for it. */
const WALK_BATCH_PAGES = 100;

/**
 * Makes a muting. Results that are saved from now on heed it, existing reports are brought in line in the background.
 * @returns the new muting's id
 * @throws AppError invalid when the account has as many as it may have
 */
export function createMuting(db: Executor, muting: NewMuting): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockMutings(trx, muting.accountId);
    if ((await countMutings(trx, muting.accountId)) >= MUTINGS_MAX) {
      throw new AppError('invalid', `An account has at most ${MUTINGS_MAX} mutings. Delete one that is not needed.`);
    }
    const id = await insertMuting(trx, muting);
    await announceWork(trx, ['mutings']);
    return id;
  });
}

/** Deletes a muting: gone for everybody when this resolves; the issues that it alone silenced come back in the background. */
export function deleteMuting(db: Executor, id: number): Promise<void> {
  return inTransaction(db, async (trx) => {
    await markMutingDeleted(trx, id);
    await announceWork(trx, ['mutings']);
  });
}

/** Brings existing reports in line with mutings that were made or deleted, until stopped. */
export function startApplyingMutings(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: 'mutings',
    doNext: () => walkOn(parts.db),
    failure: 'Could not apply a muting to existing reports yet',
  });
}

/**
 * Goes on with the walk of one muting over the reports it acts on, by one batch of pages. The pages are judged by all
 * mutings, so that walks may overtake each other: the last to come by sees every change that was made before it began.
 * @returns false when no walk is free
 */
export function walkOn(db: Database, pagesMax = WALK_BATCH_PAGES): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const walk = await takeWalk(trx);
    if (walk === undefined) return false;
    const reportId = await reportOfWalk(trx, walk);
    if (reportId === undefined) {
      await endWalk(trx, walk);
      return true;
    }
    // What was saved without knowing of the change is there once the report is locked; what is saved later knows.
    const pageIds = await changeReport(trx, reportId, async (change) => {
      const ids = await pagesOfWalk(trx, walk, reportId, pagesMax);
      if (ids.length > 0) await judgePages(change, ids);
      else change.leave();
      return ids;
    });
    const page = pageIds?.length === pagesMax ? (pageIds.at(-1) ?? null) : null;
    await moveWalk(trx, walk, { reportId, page });
    return true;
  });
}
