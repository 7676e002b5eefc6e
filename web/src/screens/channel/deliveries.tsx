import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { repeatDelivery } from '../../api/changes/notification-channels.ts';
import type { Item } from '../../api/client.ts';
import { deliveriesQuery } from '../../api/queries/notification-channels.ts';
import { QueryView } from '../../frame/query-view.tsx';
import { useChange } from '../../frame/use-change.ts';
import { useChannelChanges } from '../../frame/use-channel-changes.ts';
import { useSearchState } from '../../frame/use-search-state.ts';
import { ahead, count, dateTime } from '../../lib/formats.ts';
import { DELIVERY_STATUSES, eventTitle } from '../../lib/notifications.ts';
import { pageNumber } from '../../lib/search.ts';
import { Button } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { ChoiceFilter, FilterBar } from '../../parts/filter-bar.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Section } from '../../parts/section.tsx';
import { SeverityGlyph } from '../../parts/severity.tsx';
import styles from './screen.module.css';

type Channel = Item<'notification_channel'>;
type Delivery = Item<'notification_delivery'>;

/** What a channel was told in the last 7 days, and what became of it. */
export function Deliveries({ channel }: { readonly channel: Channel }) {
  const { search, set } = useSearchState();
  const { status } = search;
  const deliveries = useQuery(
    deliveriesQuery(channel.id, {
      'filter[status]': status,
      'page[number]': pageNumber(search['page']),
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
        <FilterBar
          matches={status === undefined || total === undefined ? undefined : `${count(total)} match`}
          isFiltered={status !== undefined}
          onClear={() => set({ status: '' })}
        >
          <ChoiceFilter
            label="State"
            value={status ?? ''}
            choices={DELIVERY_STATUSES}
            onChange={(chosen) => set({ status: chosen })}
          />
        </FilterBar>
      )}
      <QueryView query={deliveries} rows={3}>
        {({ items, page, pages }) =>
          items.length === 0 ? (
            <EmptyState
              title={status === undefined ? 'It was told nothing in the last 7 days' : 'No delivery matches'}
            />
          ) : (
            <>
              <DataTable
                caption="Deliveries of the last 7 days"
                columns={columnsOf(channel, (delivery) => void repeat(delivery))}
                rows={items}
                keyOf={({ id }) => id}
                isStale={deliveries.isPlaceholderData}
              />
              <Pager page={page} pages={pages} total={total ?? items.length} />
            </>
          )
        }
      </QueryView>
    </Section>
  );
}

function columnsOf(channel: Channel, onRepeat: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  const columns: readonly Column<Delivery>[] = [
    { key: 'event', title: 'What', isMain: true, cell: (delivery) => <What delivery={delivery} /> },
    { key: 'time', title: 'When', cell: ({ inserted_at: time }) => dateTime(time) },
    { key: 'state', title: 'State', cell: (delivery) => <State delivery={delivery} channel={channel} /> },
    { key: 'attempts', title: 'Attempts', isNumber: true, isNamed: true, cell: ({ attempts }) => count(attempts) },
  ];
  // Only channels that are told something can be told it again.
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
  const { status, http_status: answer, error, next_attempt_at: next } = delivery;
  switch (status) {
    case 'delivered':
      return (
        <span>
          <SeverityGlyph of="passed" /> delivered{answer === null ? '' : `, answered ${answer}`}
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
          <SeverityGlyph of="unchecked" /> waits for the digest
          {channel.next_digest_at === null ? '' : ` of ${dateTime(channel.next_digest_at)}`}
        </span>
      );
    case 'pending':
      return (
        <span className={styles.reason}>
          <SeverityGlyph of="running" /> {channel.active ? 'waiting' : 'waits until the channel is resumed'}
          {channel.active && next !== null && error !== null ? `, tried again ${ahead(next, new Date())}` : ''}
          {error === null ? '' : `: ${error}`}
        </span>
      );
  }
}
