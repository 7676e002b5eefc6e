import { sql, type Transaction } from 'kysely';
import type { Logger } from '../../platform/logger.ts';
import type { Database, Executor } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A report that has ended for the first time, for the log. */
export interface EndedReport {
  readonly reportId: string;
  readonly accountId: string;
  readonly status: string;
  readonly pages: number;
  /** Of all engines. */
  readonly checked: number;
  readonly failed: number;
  readonly errors: number;
  readonly warnings: number;
  /** Since its creation. */
  readonly seconds: number;
}

type EndListener = (report: EndedReport) => void;

/** By connection pool: the transactions of a pool share its adapter. */
const listeners = new WeakMap<object, EndListener>();
const poolOf = (db: Executor): object => db.getExecutor().adapter;

/** Logs the end of each report that ends in a transaction of these connections. */
export function logReportEnds(db: Database, log: Pick<Logger, 'info'>): void {
  listeners.set(poolOf(db), (report) => log.info(report, 'A report ended'));
}

/** Returns the listener for the ends of reports; undefined if the connection pool has none. */
export function endListenerOf(db: Executor): EndListener | undefined {
  return listeners.get(poolOf(db));
}

export async function readEndedReport(trx: Transaction<Schema>, reportId: string): Promise<EndedReport | null> {
  const { rows } = await sql<EndedReport>`
    SELECT r.id AS "reportId", r.account_id AS "accountId", r.status, r.num_pages AS pages,
      coalesce(sum(rc.checked), 0)::integer AS checked, coalesce(sum(rc.failed), 0)::integer AS failed,
      coalesce(sum(rc.errors), 0)::integer AS errors, coalesce(sum(rc.warnings), 0)::integer AS warnings,
      round(extract(epoch FROM now() - r.inserted_at))::integer AS seconds
    FROM reports r LEFT JOIN report_checks rc ON rc.report_id = r.id WHERE r.id = ${reportId} GROUP BY r.id`.execute(
    trx,
  );
  return rows[0] ?? null;
}
