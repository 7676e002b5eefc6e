import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import { waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { deleteEndedTokens } from '../store/accounts/api-tokens.ts';
import { deleteOldActions } from '../store/accounts/audit-log.ts';
import { deleteEndedSessions } from '../store/accounts/sessions.ts';
import { deleteOldAttempts } from '../store/accounts/sign-in-attempts.ts';
import { deleteExpiredSignInLinks } from '../store/accounts/sign-in-links.ts';
import type { Database } from '../store/database.ts';
import { deleteExpiredIdempotencyKeys } from '../store/idempotency-keys.ts';
import { deleteLostWorkers } from '../store/living-workers.ts';
import { deleteOldDeliveries } from '../store/notifications/notification-deliveries.ts';
import { deleteReport, purgeBatch, reportsOlderThan } from '../store/reports/deletion.ts';
import { deleteOldAbsences } from '../store/reports/report-event-log.ts';
import { measureSize, unmeasuredReports } from '../store/reports/report-sizes.ts';
import { deleteOldHookMessages } from '../store/schedules/hook-messages.ts';
import { deleteByRules } from './apply-retention.ts';

const DAY_MS = 86_400_000;
/** Often enough for a setting in days. */
const RETENTION_INTERVAL_MS = 3_600_000;

/** Deletions of old rows that belong to no report. */
const DELETIONS = [
  deleteExpiredIdempotencyKeys,
  deleteEndedTokens,
  deleteOldAbsences,
  deleteEndedSessions,
  deleteExpiredSignInLinks,
  deleteOldAttempts,
  deleteOldDeliveries,
  deleteOldHookMessages,
  deleteLostWorkers,
];

interface RetentionParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many days reports are kept; null: forever. */
  readonly days: number | null;
  /** How many days entries of the audit log are kept. */
  readonly auditDays: number;
  /** Called when old data has been deleted, with the number of deleted reports. */
  readonly onRetention?: (reports: number) => void;
}

/**
 * Deletes old data, at once and every hour until stopped: reports, stored responses to requests with an `Idempotency-Key`, API
 * tokens that ended some days ago, sessions that have ended, records of deletions, sign-in links, counts of attempts, deliveries
 * of notifications, ids of deploy hook calls, lost workers and the audit log. Several processes may do so at the same time.
 */
export function startRetention(parts: RetentionParts): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const warn = (error: unknown): void => {
    parts.log.warn({ reason: messageOf(error) }, 'Could not delete old data; will retry');
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let failures = 0;
      const onFailure = (error: unknown): void => {
        failures += 1;
        warn(error);
      };
      for (const deleteOld of DELETIONS) await deleteOld(parts.db).catch(onFailure);
      await deleteOldActions(parts.db, parts.auditDays).catch(onFailure);
      const reports = await deleteOldReports(parts, signal).catch(onFailure);
      const others = await deleteByRules(parts, signal).catch(onFailure);
      await measureAll(parts, signal).catch(onFailure);
      if (failures === 0 && !signal.aborted) parts.onRetention?.((reports ?? 0) + (others ?? 0));
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
 * Deletes the reports that are older than `days`, and waits for the database as long as it takes. A report that cannot be
 * deleted does not hold up the others.
 * @returns the number of old reports; 0 if stopped
 */
export async function deleteOldReports(
  { db, clock, log, days }: Omit<RetentionParts, 'auditDays' | 'onRetention'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  if (days === null) return 0;
  const kept = clock().getTime() - days * DAY_MS;
  const findOld = () => reportsOlderThan(db, new Date(kept));
  const old = await waitOut(findOld, { signal, log, failure: 'Could not look for old reports' });
  const failure = 'Could not delete an old report';
  for (const reportId of old) {
    if (signal.aborted) return 0;
    await waitOut(() => deleteReport(db, reportId), { signal, log, failure }).catch((error: unknown) => {
      log.warn({ reportId, reason: messageOf(error) }, `${failure}; will retry`);
    });
  }
  if (old.length > 0) log.info({ reports: old.length, days }, 'Deleted old reports');
  return old.length;
}

/** Reports that are measured before the database is asked for more. */
const MEASURED_AT_A_TIME = 50;

/**
 * Measures the reports that have not been measured, such as reports of earlier versions. A report that cannot be measured does
 * not hold up the others, and is tried again the next time.
 */
async function measureAll({ db, log }: Pick<RetentionParts, 'db' | 'log'>, signal: AbortSignal): Promise<void> {
  let after: string | null = null;
  do {
    const ids: string[] = await unmeasuredReports(db, after, MEASURED_AT_A_TIME);
    for (const reportId of ids) {
      if (signal.aborted) return;
      await measureSize(db, reportId).catch((error: unknown) => {
        log.warn({ reportId, reason: messageOf(error) }, 'Could not measure a report; will retry');
      });
    }
    after = ids.at(-1) ?? null;
  } while (after !== null);
}

/** Removes the data of deleted reports, until stopped. */
export function startPurging(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: 'purge',
    doNext: () => purgeBatch(parts.db),
    failure: 'Could not remove a deleted report; will retry',
  });
}
