import { type RawBuilder, sql, type Transaction } from 'kysely';
import { OPERATOR_EVENTS, WORSE_REASONS } from '../../domain/notifications.ts';
import type { Executor } from '../database.ts';
import type { Schema } from '../schema.ts';
import { announceWork } from '../work-topics.ts';
import type { DeliveryDetails } from './notification-tables.ts';

/**
 * Records events for the channels that subscribe to them, in the transaction that causes the events (decision 0102). If an event
 * is recorded twice under the same key, it is delivered once.
 */

/** Announced when deliveries may be due. */
export const NOTIFICATIONS_TOPIC = 'notifications';

/** How long the notification about the end of a report waits for its insights before it is sent without them. */
const ANSWERS_WAIT_MINUTES = 15;

/** The codes that a report's `crawl_error` can have if credits ran out. */
const OUT_OF_CREDITS = ['credits_over', 'credits_over_in_crawl'];

/** Events that no schedule causes: even channels that are limited to some schedules get them. */
const WITHOUT_SCHEDULE = ['guest.near_limit', 'channel.paused', ...OPERATOR_EVENTS];

/**
 * Inserts a delivery for each channel that subscribes to one of the events. Channels with a digest get it later.
 * @param events selects `account_id`, `event`, `key`, `report_id`, `schedule_id`, `reasons` (null unless a schedule got worse),
 *   `details` and `due_at`
 */
async function record(trx: Executor, events: RawBuilder<unknown>): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    INSERT INTO notification_deliveries (channel_id, event, key, report_id, schedule_id, details, status, next_attempt_at)
    SELECT c.id, e.event, e.key, e.report_id, e.schedule_id, e.details, CASE c.digest WHEN 'none' THEN 'pending' ELSE 'held' END,
      CASE c.digest WHEN 'none' THEN e.due_at END
    FROM (${events}) AS e (account_id, event, key, report_id, schedule_id, reasons, details, due_at)
    JOIN notification_channels c ON c.account_id = e.account_id
    WHERE c.active AND c.confirmed_at IS NOT NULL AND e.event = ANY(c.events)
      AND (c.schedule_ids = '{}' OR e.schedule_id = ANY(c.schedule_ids) OR e.event = ANY(${WITHOUT_SCHEDULE}))
      AND (e.reasons IS NULL OR e.reasons && c.worse_when)
    ON CONFLICT (channel_id, key) DO NOTHING`.execute(trx);
  if (numAffectedRows > 0n) await announceWork(trx, [NOTIFICATIONS_TOPIC]);
}

/**
 * Records that a report has ended for the first time, unless it is temporary. The notification is sent when its insights are
 * computed.
 */
export async function recordReportEnd(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await record(
    trx,
    sql`SELECT r.account_id, e.event, e.event || ' ' || r.id, r.id, r.schedule_id, NULL::text[], e.details, e.due_at
      FROM reports r CROSS JOIN LATERAL (
        SELECT 'report.' || r.status, '{}'::jsonb, CASE WHEN r.status = 'finished'
          THEN now() + make_interval(mins => ${sql.lit(ANSWERS_WAIT_MINUTES)}) ELSE now() END
        UNION ALL
        SELECT 'schedule.out_of_credits', jsonb_build_object('payer', r.crawl_error->'params'->>'payer'), now()
        WHERE r.schedule_id IS NOT NULL AND r.crawl_error->>'code' = ANY(${OUT_OF_CREDITS})
      ) AS e (event, details, due_at)
      WHERE r.id = ${reportId} AND r.deleted_at IS NULL AND NOT r.temporary`,
  );
}

/**
 * Records that the insights of a report have been computed: the notifications that it ended, and that its schedule got worse, can
 * be sent.
 * @param isFirst whether they are the first insights: a report makes a schedule worse once, not again when it is re-checked
 */
export async function recordInsights(trx: Transaction<Schema>, reportId: string, isFirst: boolean): Promise<void> {
  // First, because it locks channels, which are locked before deliveries.
  if (isFirst) {
    await recordWorse(trx, reportId);
    await removeRepeatedEnds(trx, reportId);
  }
  const { numAffectedRows = 0n } = await sql`
    UPDATE notification_deliveries SET next_attempt_at = now()
    WHERE report_id = ${reportId} AND status = 'pending' AND attempts = 0 AND next_attempt_at > now()`.execute(trx);
  if (numAffectedRows > 0n) await announceWork(trx, [NOTIFICATIONS_TOPIC]);
}

async function recordWorse(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await record(
    trx,
    sql`SELECT r.account_id, 'schedule.got_worse', 'schedule.got_worse ' || r.id, r.id, r.schedule_id, w.reasons,
        jsonb_build_object('reasons', w.reasons), now()
      FROM reports r
      LEFT JOIN diffs c ON c.report_id = r.id AND c.is_previous AND c.is_end
      CROSS JOIN LATERAL (
        SELECT array_remove(ARRAY[
          CASE WHEN c.worse_critical > 0 THEN 'new_critical' END,
          CASE WHEN c.worse_errors > 0 THEN 'new_errors' END,
          CASE WHEN c.broken_pages > 0 THEN 'broken_pages' END,
          CASE WHEN r.num_failing > 0 AND ${passedBefore} THEN 'fail_on' END], NULL) AS reasons
      ) w
      WHERE r.id = ${reportId} AND r.schedule_id IS NOT NULL AND r.deleted_at IS NULL AND w.reasons <> '{}'`,
  );
}

/**
 * Removes notifications that a report has finished if people also get a notification that it got worse, which says the same and
 * more. Digests list each report once anyway. Webhooks get both, because different programs may handle the two events.
 */
async function removeRepeatedEnds(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await sql`
    DELETE FROM notification_deliveries d USING notification_deliveries worse, notification_channels c
    WHERE d.report_id = ${reportId} AND d.event = 'report.finished' AND c.id = d.channel_id AND c.kind <> 'webhook'
      AND worse.channel_id = d.channel_id AND worse.report_id = d.report_id AND worse.event = 'schedule.got_worse'
      AND d.status = 'pending' AND d.attempts = 0 AND d.next_attempt_at > now()`.execute(trx);
}

/**
 * Whether the row `r` of `reports` follows a report of its schedule that passed: the last one with the same `fail_on`. False if
 * there is none: a first run, or a stricter `fail_on`, does not mean that anything got worse.
 */
const passedBefore = sql`coalesce((
  SELECT b.num_failing = 0 FROM reports b
  WHERE b.schedule_id = r.schedule_id AND b.fail_on = r.fail_on AND b.num_failing IS NOT NULL AND b.deleted_at IS NULL
    AND (b.inserted_at, b.id) < (r.inserted_at, r.id)
  ORDER BY b.inserted_at DESC, b.id DESC LIMIT 1), false)`;

/** Records that a schedule created no report because there were no credits. Notified once per day. */
export async function recordNoCredits(
  trx: Transaction<Schema>,
  schedule: { readonly id: string; readonly accountId: string },
  payer: 'account' | 'guest',
): Promise<void> {
  const { id, accountId } = schedule;
  await record(
    trx,
    sql`SELECT ${accountId}::uuid, 'schedule.out_of_credits', 'schedule.out_of_credits ' || ${id} || ' ' || (now() AT TIME ZONE 'UTC')::date,
      NULL::uuid, ${id}::uuid, NULL::text[], jsonb_build_object('payer', ${payer}::text), now()`,
  );
}

/** Records that a guest is near this month's limit, for the host and the guest. Notified once per month. */
export async function recordNearLimit(trx: Transaction<Schema>, guestAccountId: string): Promise<void> {
  await record(
    trx,
    sql`SELECT recipient.id, 'guest.near_limit', 'guest.near_limit ' || g.id || ' ' || g.usage_month, NULL::uuid, NULL::uuid,
        NULL::text[], jsonb_build_object('guest', jsonb_build_object('id', g.id, 'name', a.name, 'current_usage', g.usage,
          'max_usage', g.max_usage)), now()
      FROM guest_accounts g JOIN accounts a ON a.id = g.guest_id JOIN accounts recipient ON recipient.id IN (g.host_id, g.guest_id)
      WHERE g.id = ${guestAccountId}`,
  );
}

/** Records that the service has paused a channel, for the other channels of its account. */
export async function recordPause(trx: Transaction<Schema>, channelId: string): Promise<void> {
  await record(
    trx,
    sql`SELECT p.account_id, 'channel.paused', 'channel.paused ' || p.id || ' ' || p.paused_at, NULL::uuid, NULL::uuid,
        NULL::text[], jsonb_build_object('channel', jsonb_build_object('id', p.id, 'name', p.name, 'target', p.target)), now()
      FROM notification_channels p WHERE p.id = ${channelId}`,
  );
}

/**
 * Records, for the operators, that scheduled backups have failed or work again.
 * @param at when the backup began: each such event is delivered once
 * @param sendsEmail whether operators without a channel for these events get one with the address of their account
 */
export async function recordBackup(
  trx: Transaction<Schema>,
  { error, lastAt, at }: { readonly error: string | null; readonly lastAt: Date | null; readonly at: Date },
  sendsEmail: boolean,
): Promise<void> {
  if (sendsEmail && error !== null) await addOperatorChannels(trx);
  const event = error === null ? 'backup.recovered' : 'backup.failed';
  const details: DeliveryDetails = { backup: { error, last_backup_at: lastAt?.toISOString() ?? null } };
  await record(
    trx,
    sql`SELECT id, ${event}, ${`${event} ${at.toISOString()}`}, NULL::uuid, NULL::uuid, NULL::text[], ${JSON.stringify(details)}::jsonb, now()
      FROM accounts WHERE operator AND disabled_at IS NULL`,
  );
}

/**
 * Adds an email channel for each operator without a channel for failed backups. A channel that the operator has deactivated
 * counts, but not a paused or unconfirmed channel. The placeholder address of an installation's first account gets no channel.
 */
async function addOperatorChannels(trx: Transaction<Schema>): Promise<void> {
  const events = [...OPERATOR_EVENTS];
  await sql`
    INSERT INTO notification_channels (account_id, kind, name, target, events, worse_when, schedule_ids, active, confirmed_at)
    SELECT a.id, 'email', 'Backups', a.email, ${events}::text[], ${[...WORSE_REASONS]}::text[], '{}', true,
      now()
    FROM accounts a WHERE a.operator AND a.disabled_at IS NULL AND a.email NOT LIKE '%@localhost'
      AND NOT EXISTS (SELECT FROM notification_channels c WHERE c.account_id = a.id AND 'backup.failed' = ANY(c.events)
        AND c.paused_at IS NULL AND (c.confirmed_at IS NOT NULL OR c.kind <> 'email'))`.execute(trx);
}
