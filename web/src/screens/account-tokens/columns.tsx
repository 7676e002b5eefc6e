import type { Item } from '../../api/client.ts';
import { ago, dateTime, timeOf } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';

type Token = Item<'api_token'>;

/** The columns of the list of tokens. */
export function tokenColumns(onRevoke: (token: Token) => void): readonly Column<Token>[] {
  const now = new Date();
  return [
    { key: 'name', title: 'Name', isMain: true, cell: tokenName },
    {
      key: 'scope',
      title: 'Allows',
      cell: ({ scope }) => (scope === 'read' ? 'reading only' : 'reading and changes'),
    },
    {
      key: 'used',
      title: 'Last used',
      isNumber: true,
      cell: ({ last_used_at: time }) => (time === null ? 'never' : ago(time, now)),
    },
    { key: 'created', title: 'Created', isNumber: true, cell: ({ inserted_at: time }) => dateTime(time) },
    {
      key: 'expires',
      title: 'Expires',
      isNumber: true,
      cell: ({ expires_at: time }) =>
        time === null ? 'never' : timeOf(time) <= now ? `expired ${dateTime(time)}` : dateTime(time),
    },
    {
      key: 'revoke',
      title: 'Action',
      cell: (token) => (
        <Button onClick={() => onRevoke(token)} aria-label={`Revoke ${tokenName(token)}…`}>
          Revoke…
        </Button>
      ),
    },
  ];
}

/** A token that has no name is known by its number. */
export function tokenName({ id, name }: Token): string {
  return name === '' ? `Token ${id}` : name;
}
