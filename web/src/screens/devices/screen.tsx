import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Item } from '../../api/client.ts';
import { devicesQuery } from '../../api/queries/devices.ts';
import { count } from '../../lib/formats.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { FilterBar, TextFilter } from '../../parts/filter-bar.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';

type Device = Item<'device'>;

const COLUMNS: readonly Column<Device>[] = [
  { key: 'name', title: 'Device', isMain: true, cell: ({ name }) => name },
  {
    key: 'size',
    title: 'Viewport',
    isNumber: true,
    cell: ({ width, height }) => `${count(width)} × ${count(height)}`,
  },
  { key: 'scale', title: 'Pixel ratio', isNumber: true, cell: ({ device_scale_factor: scale }) => String(scale) },
  {
    key: 'kind',
    title: 'Type',
    cell: ({ is_mobile: isMobile, has_touch: hasTouch, is_landscape: isLandscape }) =>
      [isMobile ? 'mobile' : 'desktop', ...(hasTouch ? ['touch'] : []), ...(isLandscape ? ['landscape'] : [])].join(
        ', ',
      ),
  },
  {
    key: 'agent',
    title: 'User agent',
    isExtra: true,
    cell: ({ user_agent: userAgent }) => <code className="soft">{userAgent}</code>,
  },
];

/** The devices that checks can emulate. */
export function DevicesScreen() {
  const { search, set } = useSearchState('/devices');
  const devices = useQuery(devicesQuery);
  const name = search.name ?? '';
  const shown = (devices.data ?? []).filter((device) => device.name.toLowerCase().includes(name.toLowerCase()));
  return (
    <>
      <PageHead title="Devices">
        The devices that accessibility checks can emulate. Choose one when you{' '}
        <Link to="/reports/new">create a report</Link>.
      </PageHead>
      <FilterBar
        matches={name !== '' && devices.data !== undefined ? `${count(shown.length)} match` : undefined}
        isFiltered={name !== ''}
        onClear={() => set({ name: '' })}
      >
        <TextFilter label="Name" value={name} onChange={(typed) => set({ name: typed }, { isTyping: true })} />
      </FilterBar>
      <QueryView query={devices}>
        {() =>
          shown.length === 0 ? (
            <EmptyState title="No devices match this name" />
          ) : (
            <DataTable caption="Devices" columns={COLUMNS} rows={shown} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
    </>
  );
}
