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
    cell: shownAction,
  },
  { key: 'status', title: 'Status', isNumber: true, cell: ({ status }) => status ?? '–' },
  {
    key: 'actor',
    title: 'By',
    isNamed: true,
    cell: shownActor,
  },
  { key: 'account', title: 'Affected account', isNamed: true, cell: ({ account_id: id }) => id ?? '–' },
  { key: 'address', title: 'From', isNamed: true, cell: ({ address }) => address ?? '–' },
];

/** Returns an action with the path of its resource, such as `PATCH /operator/accounts/…: grant operator role`. */
function shownAction({ action, path, actor }: Entry): string {
  if (path === null) return action;
  if (actor === 'command') return `${action} ${path}`;
  const [request = '', ...remarks] = action.split(': ');
  const [method = ''] = request.split(' ');
  return [`${method} ${path}`, ...remarks].join(': ');
}

/** Returns who acted, with the account if the entry concerns another one. */
function shownActor({ actor, actor_id: id, actor_account_id: own, account_id: concerned }: Entry): string {
  const words = id === null ? ACTOR_WORDS[actor] : `${ACTOR_WORDS[actor]} ${id}`;
  return own === null || own === concerned ? words : `${words} of ${own}`;
}

/** The audit log of the whole installation. */
export function OperateAuditScreen() {
  const state = useSearchState('/operate/audit');
  const { search } = state;
  const isFiltered = search.action !== undefined || search.text !== undefined;
  const entries = useQuery(
    operatorAuditLogQuery({
      'filter[action]': search.action,
      'filter[text]': search.text,
      'page[number]': pageNumber(search.page),
      'page[size]': 25,
    }),
  );
  return (
    <>
      <OperateHead />
      <SearchFilters
        state={state}
        names={['action', 'text']}
        matches={isFiltered && entries.data !== undefined ? `${count(entries.data.total)} match` : undefined}
      >
        <SearchText state={state} label="Action, such as disable" name="action" />
        <SearchText state={state} label="Path, account id or email address" name="text" />
      </SearchFilters>
      <ListTable
        query={entries}
        caption="Audit log"
        columns={COLUMNS}
        empty={<EmptyState title={isFiltered ? 'No entries match the filter' : 'No entries yet'} />}
      />
    </>
  );
}
