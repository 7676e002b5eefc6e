import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import { waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { deleteEndedTokens } from '../store/api-tokens.ts';
import type { Database } from '../store/database.ts';
import { deleteReport, reportsOlderThan } from '../store/deletion.ts';
import { deleteExpiredIdempotencyKeys } from '../store/idempotency-keys.ts';

const DAY_MS = 86_400_000;
/** Often enough for a setting in days. */
const RETENTION_INTERVAL_MS = 3_600_000;

export interface RetentionParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long reports are kept; null for ever. */
  readonly days: number | null;
}

/**
 * Deletes what has been kept long enough, at once and every hour until stopped: reports, answers to repeated requests, and
 * API tokens that ended some days ago. Several processes may do so at a time.
 */
export function startRetention(parts: RetentionParts): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const warn = (error: unknown): void => {
    parts.log.warn({ reason: messageOf(error) }, 'Could not delete what was kept long enough; will try again');
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      for (const deleteOld of [deleteExpiredIdempotencyKeys, deleteEndedTokens]) await deleteOld(parts.db).catch(warn);
      await deleteOldReports(parts, signal).catch(warn);
      await delay(RETENTION_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Deletes every report created longer ago than it is to be kept, however long the database is away meanwhile; one that
 * cannot be deleted holds up no other.
 */
export async function deleteOldReports(
  { db, clock, log, days }: RetentionParts,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  if (days === null) return;
  const kept = clock().getTime() - days * DAY_MS;
  const findOld = () => reportsOlderThan(db, new Date(kept));
  const old = await waitOut(findOld, { signal, log, failure: 'Could not look for old reports' });
  const failure = 'Could not delete an old report';
  for (const reportId of old) {
    if (signal.aborted) return;
    await waitOut(() => deleteReport(db, reportId), { signal, log, failure }).catch((error: unknown) => {
      log.warn({ reportId, reason: messageOf(error) }, `${failure}; will try again`);
    });
  }
  if (old.length > 0) log.info({ reports: old.length, days }, 'Deleted the reports that were kept long enough');
}
