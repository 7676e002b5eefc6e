import type { Transaction } from 'kysely';
import type { CheckEngine } from '../checks/check-engine.ts';
import type { CheckKind } from '../domain/check.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import { reportsWithoutKey } from '../queue/keys.ts';
import type { Worker } from '../queue/worker.ts';
import { saveFailedChecks } from '../store/check-results.ts';
import { giveUpCrawl } from '../store/crawl-progress.ts';
import { type CredentialStore, UNREADABLE_FOR_ALL } from '../store/credential-store.ts';
import { refund, withdrawChecks } from '../store/credits.ts';
import type { Database } from '../store/database.ts';
import { lockReport } from '../store/report-lock.ts';
import type { Schema } from '../store/schema.ts';

/** How long no process may have had the key before its work is given up: a process that is started anew is back by then. */
const KEY_AWAY_MAX_MS = 30_000;
/** Checks given up in a transaction. */
const CHECKS_AT_A_TIME = 500;

export interface GivingUpParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly worker: Worker;
  readonly engines: readonly Pick<CheckEngine, 'kind'>[];
  readonly log: Logger;
}

/**
 * Gives up crawls and checks of reports that sign in to their sites when the key of what signs in is away for long. Until then
 * they wait for a process that has it, which is why nobody else claims them.
 */
export function startGivingUpUnreadable(
  parts: GivingUpParts,
  keyAwayMaxMs = KEY_AWAY_MAX_MS,
): { stop(): Promise<void> } {
  const { db, credentialStore, engines } = parts;
  const kinds = engines.map(({ kind }) => kind);
  const watch = createKeyWatch(db, credentialStore.head.length);
  return startBackgroundWork(parts, {
    topic: 'unreadable',
    doNext: async () => giveUpUnreadable(db, kinds, await watch.reportsWaiting(keyAwayMaxMs)),
    failure: 'Could not give up work whose key is away; will try again',
  });
}

/** Knows since when no living worker has had the keys that reports wait for. */
export interface KeyWatch {
  /** The reports whose key has been away for so long, from the first time on that this was asked. */
  reportsWaiting(ms: number): Promise<readonly string[]>;
}

export function createKeyWatch(db: Database, headBytes: number): KeyWatch {
  let awaySince: ReadonlyMap<string, number> = new Map();
  return {
    async reportsWaiting(ms) {
      const reports = await reportsWithoutKey(db, headBytes);
      const now = performance.now();
      const since = (head: string): number => awaySince.get(head) ?? now;
      awaySince = new Map(reports.map(({ head }) => [head, since(head)]));
      return reports.filter(({ head }) => now - since(head) >= ms).map(({ reportId }) => reportId);
    },
  };
}

/**
 * Gives up a part of what reports need to be signed in for. Checks that no worker has claimed are refunded.
 * @returns whether there may be more
 */
export async function giveUpUnreadable(
  db: Database,
  kinds: readonly CheckKind[],
  reportIds: readonly string[],
): Promise<boolean> {
  for (const reportId of reportIds) {
    if (await db.transaction().execute((trx) => giveUp(trx, reportId, kinds))) return true;
  }
  return false;
}

async function giveUp(trx: Transaction<Schema>, reportId: string, kinds: readonly CheckKind[]): Promise<boolean> {
  if (!(await lockReport(trx, reportId))) return false;
  const crawl = await trx
    .selectFrom('reports')
    .select('id')
    .where('id', '=', reportId)
    .where('crawl_pending', '=', true)
    .where('crawled_by', 'is', null)
    .executeTakeFirst();
  if (crawl !== undefined) {
    await giveUpCrawl(trx, reportId, UNREADABLE_FOR_ALL);
    return true;
  }
  for (const kind of kinds) if (await giveUpChecks(trx, reportId, kind)) return true;
  return false;
}

async function giveUpChecks(trx: Transaction<Schema>, reportId: string, kind: CheckKind): Promise<boolean> {
  const free = await trx
    .selectFrom('checks')
    .select('web_page_id')
    .where('report_id', '=', reportId)
    .where('kind', '=', kind)
    .where('status', '=', 'pending')
    .where('runnable', '=', true)
    .where('claimed_by', 'is', null)
    .limit(CHECKS_AT_A_TIME)
    .execute();
  const pageIds = free.map(({ web_page_id: id }) => id);
  if (pageIds.length === 0) return false;
  const payments = await withdrawChecks(trx, reportId, pageIds, kind);
  await saveFailedChecks(trx, reportId, kind, pageIds, UNREADABLE_FOR_ALL);
  await refund(trx, reportId, payments);
  return true;
}
