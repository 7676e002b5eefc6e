import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { failingChannelsQuery, operationQuery, slowSitesQuery, workersQuery } from '../../api/queries/operate.ts';
import { ago, count, dateTime, plural, shortUrl } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { size, span } from '../../lib/sizes.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState, LoadingRows } from '../../parts/notes.tsx';
import { Section } from '../../parts/section.tsx';
import { OperateHead } from '../../shell/operate-head.tsx';
import styles from './screen.module.css';

type Operation = Item<'operation'>;
type Queue = Operation['queue'][number];
type Worker = Item<'worker'>;
type Channel = Item<'failing_channel'>;
type Site = Item<'slow_site'>;

/** The state of the whole installation: queue, processes, backups, failing channels and slow sites. */
export function OperateScreen() {
  const { search } = useSearchState('/operate');
  const operation = useQuery(operationQuery);
  const workers = useQuery(workersQuery({ 'page[number]': pageNumber(search.page), 'page[size]': 25 }));
  const channels = useQuery(failingChannelsQuery({ 'page[size]': 25 }));
  const sites = useQuery(slowSitesQuery({ 'page[size]': 10 }));
  // Shown together, so that no section moves the others.
  const isLoading = [operation, workers, channels, sites].some(({ isPending }) => isPending);
  if (isLoading) {
    return (
      <>
        <OperateHead />
        <LoadingRows />
      </>
    );
  }
  return (
    <>
      <OperateHead />
      <QueryView query={operation}>{(data) => <State operation={data} />}</QueryView>
      <Section title="Processes">
        <ListTable
          query={workers}
          caption="Processes that work on reports"
          columns={WORKER_COLUMNS}
          empty={<EmptyState title="No processes are working on reports" />}
        />
      </Section>
      <Section title="Failing notification channels">
        <ListTable
          query={channels}
          hasPages={false}
          caption="Failing notification channels"
          columns={CHANNEL_COLUMNS}
          empty={<EmptyState title="All channels work" />}
        />
      </Section>
      <Section title="Slowest sites of the last 7 days">
        <ListTable
          query={sites}
          hasPages={false}
          caption="Slowest sites"
          columns={SITE_COLUMNS}
          empty={<EmptyState title="No report has ended in the last 7 days" />}
        />
      </Section>
    </>
  );
}

const QUEUE_COLUMNS: readonly Column<Queue>[] = [
  { key: 'engine', title: 'Check', isMain: true, cell: ({ engine }) => ENGINE_WORDS[engine] },
  { key: 'waiting', title: 'Waiting', isNumber: true, cell: ({ waiting }) => count(waiting) },
  { key: 'running', title: 'Running', isNumber: true, cell: ({ running }) => count(running) },
  {
    key: 'oldest',
    title: 'Oldest',
    isNumber: true,
    cell: ({ oldest_seconds: seconds }) => (seconds === 0 ? '–' : span(seconds)),
  },
];

const ENGINE_WORDS: Readonly<Record<Queue['engine'], string>> = {
  html: 'HTML',
  a11y: 'Accessibility',
  link: 'Links',
};

function State({ operation }: { readonly operation: Operation }) {
  return (
    <>
      <Section title="Queue">
        <DataTable
          caption="Unfinished checks"
          columns={QUEUE_COLUMNS}
          rows={operation.queue}
          keyOf={({ engine }) => engine}
        />
        <dl className={styles.figures}>
          {figuresOf(operation).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title="Backups">
        <p>{backupSentence(operation)}</p>
      </Section>
    </>
  );
}

function figuresOf(operation: Operation): readonly (readonly [name: string, value: string])[] {
  const { reports, deliveries_waiting: deliveries, deliveries_overdue_seconds: late } = operation;
  const schedules = operation.schedules_overdue_seconds;
  return [
    ['Reports waiting', count(reports.pending)],
    ['Reports running', count(reports.crawling + reports.checking)],
    ['Reports finished', count(reports.finished)],
    ['Reports failed', count(reports.failed)],
    ['Reports being removed', count(reports.deleted)],
    ['Notifications waiting', late === 0 ? count(deliveries) : `${count(deliveries)}, for ${span(late)}`],
    ['Schedules', schedules === 0 ? 'on time' : `late by ${span(schedules)}`],
    ['Database', size(operation.database_bytes)],
    ['Version', operation.version],
  ];
}

function backupSentence({
  backups,
  backup_at: at,
  backup_failed_at: failedAt,
  backup_error: error,
}: Operation): string {
  if (!backups) return 'There are no scheduled backups. Set SITEWARDEN_BACKUP_DIR to write one each day.';
  const last = at === null ? 'There is no complete backup yet.' : `The last backup is from ${dateTime(at)}.`;
  return failedAt === null ? last : `${last} The attempt on ${dateTime(failedAt)} failed: ${error ?? 'unknown'}`;
}

const WORKER_COLUMNS: readonly Column<Worker>[] = [
  { key: 'host', title: 'Machine', isMain: true, cell: ({ host, pid }) => `${host}, process ${pid}` },
  { key: 'command', title: 'Command', isNamed: true, cell: ({ command }) => command },
  { key: 'version', title: 'Version', isNamed: true, cell: ({ version }) => version },
  { key: 'engines', title: 'Checks', isNamed: true, cell: ({ engines }) => engines.join(', ') },
  {
    key: 'work',
    title: 'Work',
    isNamed: true,
    cell: ({ crawls, checks }) => `${plural(crawls, 'crawl')}, ${plural(checks, 'check')}`,
  },
  {
    key: 'state',
    title: 'State',
    isNamed: true,
    cell: ({ running, ended_at: ended }) =>
      running ? 'running' : `not responding${ended === null ? '' : `, lost ${ago(ended, new Date())}`}`,
  },
];

const CHANNEL_COLUMNS: readonly Column<Channel>[] = [
  {
    key: 'name',
    title: 'Channel',
    isMain: true,
    cell: ({ name, kind, target }) => `${name === '' ? kind : name} (${target})`,
  },
  { key: 'account', title: 'Account', isNamed: true, cell: ({ account }) => account.email },
  { key: 'error', title: 'Error', isNamed: true, cell: ({ error }) => error ?? 'unknown' },
  {
    key: 'since',
    title: 'Failing since',
    isNumber: true,
    cell: ({ failing_since: since, paused_at: paused }) => `${dateTime(since)}${paused === null ? '' : ', paused'}`,
  },
  { key: 'waiting', title: 'Waiting', isNumber: true, cell: ({ waiting }) => count(waiting) },
  { key: 'failed', title: 'Failed', isNumber: true, cell: ({ failed }) => count(failed) },
];

const SITE_COLUMNS: readonly Column<Site>[] = [
  {
    key: 'site',
    title: 'Site',
    isMain: true,
    cell: ({ name, starting_url: url }) => (name === '' ? shortUrl(url) : name),
  },
  {
    key: 'account',
    title: 'Account',
    isNamed: true,
    cell: ({ account }) => (
      <Link to="/operate/accounts" search={{ text: account.email }}>
        {account.email}
      </Link>
    ),
  },
  { key: 'reports', title: 'Reports', isNumber: true, cell: ({ num_reports: reports }) => count(reports) },
  { key: 'pages', title: 'Pages', isNumber: true, cell: ({ num_web_pages: pages }) => count(pages) },
  { key: 'seconds', title: 'Per report', isNumber: true, cell: ({ seconds }) => span(seconds) },
  { key: 'each', title: 'Per page', isNumber: true, cell: ({ seconds_per_page: each }) => span(each) },
];
