import { sql, type Transaction } from 'kysely';
import type { Logger } from '../../platform/logger.ts';
import type { Schema } from '../schema.ts';

/** A report at its first end, for the log. */
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

/** Returns a listener that logs the end of reports. */
export function logEnd(log: Pick<Logger, 'info'>): (report: EndedReport) => void {
  return (report) => log.info(report, 'A report ended');
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
