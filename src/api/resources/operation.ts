import Type from 'typebox';
import { ENGINES } from '../../checks/registry.ts';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import { CHANNEL_KINDS } from '../../domain/notifications.ts';
import { count, failureCode, flag, LIFE, nullable, TIMESTAMP, UUID, webAddress } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { VERSION } from '../../platform/version.ts';
import { listActions } from '../../store/accounts/audit-log.ts';
import { readBackupState } from '../../store/backup/backup-state.ts';
import { readInstallationFigures } from '../../store/installation-figures.ts';
import { listWorkers } from '../../store/living-workers.ts';
import { databaseBytes, listFailingChannels, listSlowSites, SLOW_DAYS } from '../../store/operate.ts';
import { pausedSince } from '../../store/pause.ts';
import { PAGING_QUERY } from '../attributes/parameters.ts';
import { endpoint, listed, listOf, one } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { AUDIT_ENTRY, AUDIT_QUERY, auditFilterOf, renderAuditEntry } from './audit-entry.ts';

/** What operators see of the whole installation. */

const seconds = (description: string) => Type.Number({ minimum: 0, description, examples: [12.5] });

const OPERATION = resourceType('operation', {
  description: 'The state of the installation, for operators.',
  id: Type.String({ examples: ['operation'] }),
  attributes: Type.Object({
    version: Type.String({ description: 'The version of the process that responded.', examples: ['1.2.3'] }),
    paused_at: nullable(TIMESTAMP, 'When the installation was paused; null if it is not paused.'),
    queue: Type.Array(
      Type.Object({
        engine: Type.Enum(
          ENGINES.map(({ kind }) => kind),
          { description: 'The engine.' },
        ),
        waiting: count('Checks waiting for a process.', { examples: [120] }),
        running: count('Checks that a process has claimed.', { examples: [4] }),
        oldest_seconds: seconds('The age of the oldest check that has not ended; 0 if there is none.'),
      }),
      { description: 'The unfinished checks of each engine.' },
    ),
    reports: Type.Object(
      {
        pending: count('Reports waiting to be crawled.'),
        crawling: count('Reports that are being crawled.'),
        checking: count('Reports whose pages are being checked.'),
        finished: count('Finished reports.'),
        failed: count('Failed reports.'),
        deleted: count('Deleted reports whose data is yet to be removed.'),
      },
      { description: 'The number of reports in each state.' },
    ),
    deliveries_waiting: count('Notifications waiting to be delivered, including notifications that will be retried.'),
    deliveries_overdue_seconds: seconds('How long the oldest notification that is due has waited.'),
    failing_channels: count(
      'Notification channels that have failed since their last delivery, including paused channels.',
    ),
    schedules_overdue_seconds: seconds('How long the most overdue schedule has been due.'),
    database_bytes: count('The size of the database, with indexes.', { examples: [1_250_000_000] }),
    backups: flag('Whether the service writes scheduled backups.'),
    backup_at: nullable(TIMESTAMP, 'When the last complete scheduled backup started; null if there is none.'),
    backup_failed_at: nullable(TIMESTAMP, 'When a scheduled backup last failed after that; null if none has.'),
    backup_error: nullable(Type.String(), 'Why it failed.', { examples: [null] }),
  }),
  relationships: {},
  self: 'never',
});

const WORKER = resourceType('worker', {
  description: 'A process that works on reports, or was lost in the last 24 hours.',
  id: Type.String({ examples: ['12'] }),
  attributes: Type.Object({
    host: Type.String({ description: 'The name of its machine.', examples: ['checks-1'] }),
    pid: count('The id of the process on its machine.', { examples: [4711] }),
    version: Type.String({ description: 'Its version.', examples: ['1.2.3'] }),
    command: Type.String({ description: '`serve`, `work`, or `check` for a command.', examples: ['serve'] }),
    engines: Type.Array(Type.String(), { description: 'The checks that it runs.', examples: [['html', 'a11y']] }),
    running: flag('Whether it is connected to the database now. If not, it was killed, or has lost its connection.'),
    joined_at: Type.String({ ...LIFE.inserted_at, description: 'When it connected to the database.' }),
    ended_at: nullable(
      TIMESTAMP,
      'When another process noticed that it had stopped responding, which takes up to a minute; null until then.',
    ),
    crawls: count('Reports that it crawls now.'),
    checks: count('Checks that it runs now.'),
  }),
  relationships: {},
  self: 'never',
});

const OWNER = Type.Object(
  {
    id: Type.String({ ...UUID, description: 'Its id.' }),
    name: Type.String({ description: 'Its name.', examples: ['Ada'] }),
    email: Type.String({ description: 'Its email address.', examples: ['ada@example.com'] }),
  },
  { description: 'The account that it belongs to.' },
);

const FAILING_CHANNEL = resourceType('failing_channel', {
  description: 'A notification channel that has failed since its last delivery.',
  id: UUID,
  attributes: Type.Object({
    account: OWNER,
    kind: Type.Enum([...CHANNEL_KINDS], { description: 'What it delivers to.' }),
    name: Type.String({ description: 'The name of the channel.', examples: ['Team'] }),
    target: Type.String({ description: 'The host of its URL, or its address.', examples: ['hooks.slack.com'] }),
    failing_since: Type.String({
      ...LIFE.inserted_at,
      description: 'The first failed attempt since the last delivery.',
    }),
    paused_at: nullable(TIMESTAMP, 'When the service stopped trying; null while it is still trying.'),
    last_delivered_at: nullable(TIMESTAMP, 'The last successful delivery.'),
    error: nullable(Type.String(), 'Why the last attempt failed.'),
    error_code: failureCode('error'),
    waiting: count('Deliveries waiting to be retried.'),
    failed: count('Deliveries of the last 7 days that have failed for good.'),
  }),
  relationships: {},
  self: 'never',
});

const SLOW_SITE = resourceType('slow_site', {
  description: `A site and how long its reports of the last ${SLOW_DAYS} days took.`,
  id: UUID,
  attributes: Type.Object({
    account: OWNER,
    name: Type.String({ description: 'The name of the site. May be empty.', examples: ['Shop'] }),
    starting_url: webAddress('Its starting URL.'),
    num_reports: count('Reports that ended in this time.', { examples: [7] }),
    num_web_pages: count('Web pages of these reports.', { examples: [700] }),
    seconds: seconds('From the creation of a report to its end, on average.'),
    seconds_per_page: seconds('The same, per page.'),
  }),
  relationships: {},
  self: 'never',
});

export const OPERATION_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/operator',
    summary: 'Get the state of the installation',
    description: 'Returns the queue, the numbers of reports, the size of the database and the last backup.',
    additive: true,
    operator: true,
    answers: one(OPERATION),
    async answer({ call: { db, scheduleTimeMs, backupDir } }) {
      const figures = await readInstallationFigures(db, scheduleTimeMs);
      const backup = await readBackupState(db);
      const countOf = (state: string): number => figures.reports.find((row) => row.state === state)?.count ?? 0;
      return resource(OPERATION, {
        id: 'operation',
        attributes: {
          version: VERSION,
          paused_at: utcTime(await pausedSince(db)),
          queue: ENGINES.map(({ kind }) => {
            const found = figures.checks.find((row) => row.kind === kind);
            const { waiting = 0, running = 0, oldestAgeS: oldest_seconds = 0 } = found ?? {};
            return { engine: kind, waiting, running, oldest_seconds };
          }),
          reports: {
            pending: countOf('pending'),
            crawling: countOf('crawling'),
            checking: countOf('checking'),
            finished: countOf('finished'),
            failed: countOf('failed'),
            deleted: countOf('deleted'),
          },
          deliveries_waiting: figures.deliveries.waiting,
          deliveries_overdue_seconds: figures.deliveries.overdueS,
          failing_channels: figures.failingChannels,
          schedules_overdue_seconds: figures.schedulesOverdueS,
          database_bytes: await databaseBytes(db),
          backups: backupDir !== null,
          backup_at: utcTime(backup.backup_at),
          backup_failed_at: utcTime(backup.backup_failed_at),
          backup_error: backup.backup_error,
        },
      });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/operator/workers',
    summary: 'List the processes of the installation',
    description:
      'Returns the processes that work on reports, and processes that were killed or lost in the last 24 hours. A process that shuts down normally is removed from the list immediately.',
    additive: true,
    operator: true,
    query: PAGING_QUERY,
    answers: listOf(WORKER),
    async answer({ call, paging }) {
      return listed(
        await listWorkers(call.db, paging),
        ({ id, isRunning: running, joinedAt, endedAt, host, pid, version, command, engines, crawls, checks }) =>
          resource(WORKER, {
            id: String(id),
            attributes: {
              ...{ host, pid, version, command, engines: [...engines], running },
              joined_at: utcTime(joinedAt),
              ended_at: utcTime(endedAt),
              ...{ crawls, checks },
            },
          }),
      );
    },
  }),
  endpoint({
    method: 'GET',
    path: '/operator/channels',
    summary: 'List the failing notification channels',
    description:
      'Returns the channels of all accounts that have failed since their last delivery, the longest-failing channels first.',
    additive: true,
    operator: true,
    query: PAGING_QUERY,
    answers: listOf(FAILING_CHANNEL),
    async answer({ call, paging }) {
      return listed(await listFailingChannels(call.db, paging), ({ id, last_error: error, ...channel }) =>
        resource(FAILING_CHANNEL, {
          id,
          attributes: {
            ...{ account: channel.account, kind: channel.kind, name: channel.name, target: channel.target },
            failing_since: utcTime(channel.failing_since),
            paused_at: utcTime(channel.paused_at),
            last_delivered_at: utcTime(channel.last_delivered_at),
            error: fullSentenceOf(error),
            error_code: codeOf(error),
            ...{ waiting: channel.waiting, failed: channel.failed },
          },
        }),
      );
    },
  }),
  endpoint({
    method: 'GET',
    path: '/operator/slow_sites',
    summary: 'List the slowest sites',
    description: `Returns the sites of all accounts whose reports of the last ${SLOW_DAYS} days took longest per page.`,
    additive: true,
    operator: true,
    query: PAGING_QUERY,
    answers: listOf(SLOW_SITE),
    async answer({ call, paging }) {
      return listed(await listSlowSites(call.db, paging), ({ id, num_pages: num_web_pages, ...site }) => {
        const { account, name, starting_url, num_reports, seconds: took, seconds_per_page } = site;
        const attributes = { account, name, starting_url, num_reports, num_web_pages, seconds: took, seconds_per_page };
        return resource(SLOW_SITE, { id, attributes });
      });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/operator/audit_log',
    summary: 'List the audit log of the installation',
    description:
      'Returns the entries of all accounts, newest first, including failed sign-in attempts and commands on the server.',
    additive: true,
    operator: true,
    query: AUDIT_QUERY,
    answers: listOf(AUDIT_ENTRY),
    async answer({ call, query, paging }) {
      return listed(await listActions(call.db, { accountId: null, ...auditFilterOf(query) }, paging), renderAuditEntry);
    },
  }),
];
