import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LIMITS } from 'sitewarden-client/values';
import { repeatDelivery } from '../../api/changes/notification-channels.ts';
import type { Item } from '../../api/client.ts';
import { deliveriesQuery } from '../../api/queries/notification-channels.ts';
import { ahead, count, dateTime } from '../../lib/formats.ts';
import { DELIVERY_STATUSES, eventTitle } from '../../lib/notifications.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { SearchChoice, SearchFilters } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Section } from '../../parts/section.tsx';
import { SeverityGlyph } from '../../parts/severity.tsx';
import { useChannelChanges } from '../../report/use-channel-changes.ts';
import styles from './screen.module.css';

type Channel = Item<'notification_channel'>;
type Delivery = Item<'notification_delivery'>;

/** The recent deliveries of a channel, with their results. */
export function Deliveries({ channel }: { readonly channel: Channel }) {
  const state = useSearchState('/account/notifications/$channel');
  const { search } = state;
  const { status } = search;
  const deliveries = useQuery(
    deliveriesQuery(channel.id, {
      'filter[status]': status,
      'page[number]': pageNumber(search.page),
      'page[size]': 10,
    }),
  );
  const changes = useChannelChanges();
  const change = useChange();
  const repeat = async ({ id }: Delivery): Promise<void> => {
    await change(() => repeatDelivery(channel.id, id));
    await changes.refresh();
  };
  const total = deliveries.data?.total;
  return (
    <Section title="Deliveries">
      {status === undefined && total === 0 ? null : (
        <SearchFilters
          state={state}
          names={['status']}
          matches={status === undefined || total === undefined ? undefined : `${count(total)} match`}
        >
          <SearchChoice state={state} label="Status" name="status" choices={DELIVERY_STATUSES} />
        </SearchFilters>
      )}
      <ListTable
        query={deliveries}
        rows={3}
        caption={`Deliveries of the last ${LIMITS.deliveryKeptDays} days`}
        columns={columnsOf(channel, (delivery) => void repeat(delivery))}
        empty={
          <EmptyState
            title={
              status === undefined
                ? `No deliveries in the last ${LIMITS.deliveryKeptDays} days`
                : 'No deliveries match the filter'
            }
          />
        }
      />
    </Section>
  );
}

function columnsOf(channel: Channel, onRepeat: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  const columns: readonly Column<Delivery>[] = [
    { key: 'event', title: 'Event', isMain: true, cell: (delivery) => <What delivery={delivery} /> },
    { key: 'time', title: 'Time', cell: ({ inserted_at: time }) => dateTime(time) },
    { key: 'state', title: 'Status', cell: (delivery) => <State delivery={delivery} channel={channel} /> },
    { key: 'attempts', title: 'Attempts', isNumber: true, isNamed: true, cell: ({ attempts }) => count(attempts) },
  ];
  // Nothing can be sent again to a channel that gets no messages at present.
  if (!channel.active || channel.status === 'unconfirmed') return columns;
  return [
    ...columns,
    {
      key: 'repeat',
      title: 'Action',
      cell: (delivery) =>
        delivery.status === 'pending' || delivery.status === 'held' ? null : (
          <Button
            aria-label={`Send again: ${eventTitle(delivery.event)}, ${dateTime(delivery.inserted_at)}`}
            onClick={() => onRepeat(delivery)}
          >
            Send again
          </Button>
        ),
    },
  ];
}

function What({ delivery: { event, related } }: { readonly delivery: Delivery }) {
  return related.report === undefined ? eventTitle(event) : <Link to={related.report}>{eventTitle(event)}</Link>;
}

function State({ delivery, channel }: { readonly delivery: Delivery; readonly channel: Channel }) {
  const { status, http_status: httpStatus, error, next_attempt_at: next } = delivery;
  switch (status) {
    case 'delivered':
      return (
        <span>
          <SeverityGlyph of="passed" /> delivered{httpStatus === null ? '' : ` with status ${httpStatus}`}
        </span>
      );
    case 'failed':
      return (
        <span className={styles.reason}>
          <SeverityGlyph of="failed" /> failed: {error}
        </span>
      );
    case 'held':
      return (
        <span>
          <SeverityGlyph of="unchecked" /> waiting for the digest
          {channel.next_digest_at === null ? '' : ` of ${dateTime(channel.next_digest_at)}`}
        </span>
      );
    case 'pending':
      return (
        <span className={styles.reason}>
          <SeverityGlyph of="running" /> {channel.active ? 'waiting' : 'waiting until the channel is resumed'}
          {channel.active && next !== null && error !== null ? `, next attempt ${ahead(next, new Date())}` : ''}
          {error === null ? '' : `: ${error}`}
        </span>
      );
  }
}
