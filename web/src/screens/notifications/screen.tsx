import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { notificationChannelsQuery } from '../../api/queries/notification-channels.ts';
import { ago, dateTime } from '../../lib/formats.ts';
import { eventWords, kindName } from '../../lib/notifications.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { accountEvents } from '../../live/destinations.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { ChannelState, channelName } from '../../report/channel-state.tsx';
import { useChannelChanges } from '../../report/use-channel-changes.ts';
import { AccountHead } from '../../shell/account-head.tsx';
import styles from './screen.module.css';

type Channel = Item<'notification_channel'>;

/** The notification channels of the account. */
export function NotificationsScreen() {
  const { search } = useSearchState('/account/notifications');
  const channels = useQuery(notificationChannelsQuery({ 'page[number]': pageNumber(search.page), 'page[size]': 25 }));
  const account = useQuery(accountQuery);
  const changes = useChannelChanges();
  return (
    <>
      <AccountHead />
      <ListTable
        query={channels}
        caption="Notification channels"
        columns={columnsOf(accountEvents(account.data), (channel) => void changes.setActive(channel, !channel.active))}
        empty={<NoChannels />}
        before={
          <p className={styles.new}>
            <NewChannelLink />
          </p>
        }
      />
    </>
  );
}

function NoChannels() {
  return (
    <EmptyState title="No notification channels yet">
      <p>
        A channel sends a message when a report fails or a site gets worse: to Slack, Microsoft Teams, an email address
        or your own webhook.
      </p>
      <NewChannelLink />
    </EmptyState>
  );
}

function NewChannelLink() {
  return (
    <Link to="/account/notifications/new" className={buttonClass('main')}>
      New channel
    </Link>
  );
}

function columnsOf(
  possible: ReturnType<typeof accountEvents>,
  onSwitch: (channel: Channel) => void,
): readonly Column<Channel>[] {
  const now = new Date();
  return [
    {
      key: 'name',
      title: 'Channel',
      isMain: true,
      cell: (channel) => <Link to={`/account/notifications/${channel.id}`}>{channelName(channel)}</Link>,
    },
    { key: 'kind', title: 'Messages go to', cell: ({ kind, target }) => `${kindName(kind)}: ${target}` },
    {
      key: 'events',
      title: 'Events',
      cell: ({ events, digest }) => `${eventWords(events, possible)}${digest === 'daily' ? ', once a day' : ''}`,
    },
    { key: 'state', title: 'Status', cell: (channel) => <State channel={channel} /> },
    {
      key: 'last',
      title: 'Last delivery',
      isNumber: true,
      isNamed: true,
      cell: ({ last_delivered_at: time }) =>
        time === null ? (
          'none yet'
        ) : (
          <time dateTime={`${time}Z`} title={dateTime(time)}>
            {ago(time, now)}
          </time>
        ),
    },
    {
      key: 'switch',
      title: 'Action',
      cell: (channel) => {
        const action = channel.active ? 'Pause' : 'Resume';
        return (
          <Button aria-label={`${action} ${channelName(channel)}`} onClick={() => onSwitch(channel)}>
            {action}
          </Button>
        );
      },
    },
  ];
}

/** The state of a channel, with the reason. */
function State({ channel }: { readonly channel: Channel }) {
  const { error } = channel;
  return (
    <div className={styles.state}>
      <ChannelState channel={channel} />
      {error === null ? null : <span className={styles.soft}>{error}</span>}
    </div>
  );
}
