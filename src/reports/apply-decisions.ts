import { requireRoom } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import type { Decision } from '../store/decisions/decision-tables.ts';
import {
  countDecisions,
  type DecisionUpdate,
  insertDecision,
  lockDecisions,
  markDecisionDeleted,
  type NewDecision,
  nextPagesOf,
  nextReportOf,
  replaceDecision,
  updateDecision,
} from '../store/decisions/decisions.ts';
import { redecideIssues } from '../store/decisions/redecide-issues.ts';
import { announceWork } from '../store/work-topics.ts';
import { type Walk, walkOn } from './walk-reports.ts';

/** Decisions about one site. */
export const DECISIONS_MAX = 10_000;

/**
 * Saves a decision. It applies to results that are saved from now on, and to existing reports in the background. It replaces an
 * earlier decision about the same rule, cause or occurrence.
 * @returns its id
 * @throws AppError invalid if the site has reached the maximum
 */
export function decide(db: Executor, decision: NewDecision): Promise<number> {
  return inTransaction(db, async (trx) => {
    await lockDecisions(trx, decision.site_id);
    await announceWork(trx, ['decisions']);
    const replaced = await replaceDecision(trx, decision);
    if (replaced !== undefined) return replaced;
    requireRoom(await countDecisions(trx, decision.site_id), DECISIONS_MAX, 'decisions about a site');
    return insertDecision(trx, decision);
  });
}

/** Changes a decision. */
export function changeDecision(db: Executor, id: number, to: DecisionUpdate): Promise<void> {
  return inTransaction(db, async (trx) => {
    await updateDecision(trx, id, to);
    await announceWork(trx, ['decisions']);
  });
}

/** Undoes a decision. In the background, its issues revert to what the checks found, or to what another decision says. */
export function undoDecision(db: Executor, id: number): Promise<void> {
  return inTransaction(db, async (trx) => {
    await markDecisionDeleted(trx, id);
    await announceWork(trx, ['decisions']);
  });
}

/** Applies new, changed and undone decisions to existing reports until stopped. */
export function startApplyingDecisions(parts: {
  readonly db: Database;
  readonly worker: Worker;
  readonly log: Logger;
}): { stop(): Promise<void> } {
  return startBackgroundWork(parts, {
    topic: 'decisions',
    doNext: () => applyNextDecision(parts.db),
    failure: 'Could not apply a decision to existing reports; will retry',
  });
}

/**
 * Applies one pending decision to the next batch of pages, with all other decisions about their issues, so the order in which
 * decisions are applied does not matter.
 * @returns false if no decision is pending, or other processes are applying all of them
 */
export function applyNextDecision(db: Database, pagesMax?: number): Promise<boolean> {
  return walkOn(db, 'decisions', WALK, pagesMax);
}

const WALK: Walk<Decision> = {
  nextReport: nextReportOf,
  nextPages: nextPagesOf,
  apply: (change, { kind, type_fingerprint: type }, webPageIds) =>
    redecideIssues(change, kind, type.toString('hex'), webPageIds),
};
