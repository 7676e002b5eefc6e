import { sql } from 'kysely';
import { isInUse } from './accounts/account-states.ts';
import { type Database, inSnapshot } from './database.ts';
import { pausedSince } from './pause.ts';
import { longestDue } from './schedules/schedules.ts';

/** The state of the whole installation, for operators. */
export interface InstallationFigures {
  readonly isPaused: boolean;
  /** Unfinished checks by kind, for kinds that have any. */
  readonly checks: readonly {
    readonly kind: string;
    readonly waiting: number;
    readonly running: number;
    /** Seconds since the page of the oldest check was found or fetched again; 0 if there is none. */
    readonly oldestAgeS: number;
  }[];
  readonly reports: readonly { readonly state: string; readonly count: number }[];
  readonly deliveries: {
    /** Including deliveries that will be retried. */
    readonly waiting: number;
    /** Seconds; 0 if none is due. */
    readonly overdueS: number;
  };
  readonly failingChannels: number;
  /** Seconds; 0 if none is due. */
  readonly schedulesOverdueS: number;
}

/** Reads only indexes, and the reports that are not finished. */
export function readInstallationFigures(db: Database, scheduleTimeMs: number): Promise<InstallationFigures> {
  return inSnapshot(db, async (trx) => {
    const { rows: checks } = await sql<InstallationFigures['checks'][number]>`
      WITH unfinished AS (
        SELECT rc.kind, rc.pending, oldest.since FROM reports r JOIN report_checks rc ON rc.report_id = r.id
        CROSS JOIN LATERAL (
          SELECT coalesce(p.fetched_at, p.inserted_at) AS since FROM checks c JOIN web_pages p ON p.id = c.web_page_id
          WHERE c.report_id = r.id AND c.kind = rc.kind AND c.state = 'pending' ORDER BY c.web_page_id LIMIT 1
        ) AS oldest
        WHERE r.status IN ('pending', 'crawling', 'checking') AND r.deleted_at IS NULL AND rc.pending > 0
      ),
      running AS (SELECT kind, count(*) AS running FROM checks WHERE claimed_by IS NOT NULL GROUP BY kind)
      SELECT kind, greatest(coalesce(sum(pending), 0) - coalesce(max(running), 0), 0)::integer AS waiting,
        coalesce(max(running), 0)::integer AS running,
        greatest(coalesce(extract(epoch FROM now() - min(since)), 0), 0)::float8 AS "oldestAgeS"
      FROM unfinished FULL JOIN running USING (kind) GROUP BY kind`.execute(trx);
    const { rows: reports } = await sql<InstallationFigures['reports'][number]>`
      SELECT status AS state, count(*) FROM reports WHERE deleted_at IS NULL GROUP BY status
      UNION ALL SELECT 'deleted', count(*) FROM reports WHERE deleted_at IS NOT NULL`.execute(trx);
    const { rows: deliveries } = await sql<InstallationFigures['deliveries']>`
      SELECT count(*)::integer AS waiting,
        coalesce(extract(epoch FROM now() - min(d.next_attempt_at) FILTER (WHERE d.next_attempt_at <= now())), 0)::float8 AS "overdueS"
      FROM notification_deliveries d JOIN notification_channels c ON c.id = d.channel_id
      WHERE d.next_attempt_at IS NOT NULL AND c.active AND c.confirmed_at IS NOT NULL AND ${isInUse(sql.ref('c.account_id'))}`.execute(
      trx,
    );
    const { rows: channels } = await sql<{ failing: number }>`
      SELECT count(*) AS failing FROM notification_channels c
      WHERE failing_since IS NOT NULL AND ${isInUse(sql.ref('c.account_id'))}`.execute(trx);
    const due = await longestDue(trx, scheduleTimeMs);
    return {
      isPaused: (await pausedSince(trx)) !== null,
      checks,
      reports,
      failingChannels: channels[0]?.failing ?? 0,
      deliveries: deliveries[0] ?? { waiting: 0, overdueS: 0 },
      schedulesOverdueS: due === null ? 0 : Math.max(0, (Date.now() - due.getTime()) / 1_000),
    };
  });
}
