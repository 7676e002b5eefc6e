import { useQuery } from '@tanstack/react-query';
import type { Item } from '../../api/client.ts';
import { operatorAuditLogQuery } from '../../api/queries/operate.ts';
import { count, dateTime } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { OperateHead } from '../../shell/operate-head.tsx';

type Entry = Item<'audit_entry'>;

const ACTOR_WORDS: Readonly<Record<Entry['actor'], string>> = {
  api_token: 'API token',
  session: 'session',
  share_link: 'share link',
  anyone: 'anyone',
  command: 'command',
};

const COLUMNS: readonly Column<Entry>[] = [
  { key: 'time', title: 'When', isMain: true, cell: ({ inserted_at: time }) => dateTime(time) },
  {
    key: 'action',
    title: 'Action',
    isNamed: true,
    cell: ({ action, path }) => (path === null ? action : `${methodOf(action)}${path}`),
  },
  { key: 'status', title: 'Status', isNumber: true, cell: ({ status }) => status ?? '–' },
  {
    key: 'actor',
    title: 'By',
    isNamed: true,
    cell: ({ actor, actor_id: id }) => (id === null ? ACTOR_WORDS[actor] : `${ACTOR_WORDS[actor]} ${id}`),
  },
  { key: 'account', title: 'Account', isNamed: true, cell: ({ account_id: id }) => id ?? '–' },
  { key: 'address', title: 'From', isNamed: true, cell: ({ address }) => address ?? '–' },
];

/** Returns the method of an action with a path, and a space. */
function methodOf(action: string): string {
  const [method = ''] = action.split(' ');
  return `${method} `;
}

/** The audit log of the whole installation. */
export function OperateAuditScreen() {
  const state = useSearchState('/operate/audit');
  const { search } = state;
  const entries = useQuery(
    operatorAuditLogQuery({
      'filter[action]': search.action,
      'page[number]': pageNumber(search.page),
      'page[size]': 25,
    }),
  );
  return (
    <>
      <OperateHead />
      <SearchFilters
        state={state}
        names={['action']}
        matches={
          search.action !== undefined && entries.data !== undefined ? `${count(entries.data.total)} match` : undefined
        }
      >
        <SearchText state={state} label="Action, such as DELETE /reports/{report_id}" name="action" />
      </SearchFilters>
      <ListTable
        query={entries}
        caption="Audit log"
        columns={COLUMNS}
        empty={<EmptyState title={search.action === undefined ? 'No entries yet' : 'No entries match the filter'} />}
      />
    </>
  );
}
