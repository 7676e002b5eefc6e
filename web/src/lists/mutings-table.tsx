import type { UseQueryResult } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createMuting, deleteMuting } from '../api/changes/mutings.ts';
import type { Item, List } from '../api/client.ts';
import { count, dateTime, plural } from '../lib/formats.ts';
import { useChange } from '../live/use-change.ts';
import { Button } from '../parts/button.tsx';
import type { Column } from '../parts/data-table.tsx';
import { useToast } from '../parts/toast.tsx';
import { ListTable } from './list-table.tsx';

type Muting = Item<'muting'>;

/** Mutings with their effect, reason and end. Their owner can delete them and undo that. */
export function MutingsTable({
  mutings,
  empty,
  before,
}: {
  readonly mutings: UseQueryResult<List<'muting'>>;
  /** Content in place of an empty table. */
  readonly empty: ReactNode;
  readonly before?: ReactNode;
}) {
  const end = useDeletion();
  return <ListTable query={mutings} caption="Mutings" columns={columnsOf(end)} empty={empty} before={before} />;
}

function columnsOf(end: (muting: Muting) => void): readonly Column<Muting>[] {
  return [
    {
      key: 'message',
      title: 'Messages with',
      isMain: true,
      cell: ({ message, selector }) => (
        <>
          {message}
          {selector === null ? null : (
            <>
              {' '}
              in <code>{selector}</code>
            </>
          )}
        </>
      ),
    },
    { key: 'url', title: 'On URLs with', cell: ({ url_match: url }) => <code>{url}</code> },
    {
      key: 'why',
      title: 'Reason',
      cell: ({ comment }) => (comment === '' ? <span className="soft">no reason given</span> : comment),
    },
    {
      key: 'how_many',
      isNamed: true,
      title: 'Mutes, in all reports',
      cell: ({ how_many: howMany, num_reports: reports }) =>
        howMany === undefined ? null : howMany === 0 ? (
          'nothing at present'
        ) : (
          <>
            {plural(howMany, 'occurrence')} in {plural(reports ?? 0, 'report')}
          </>
        ),
    },
    {
      key: 'until',
      isNamed: true,
      title: 'Expires',
      cell: ({ expires_at: until, expired, retroactive }) => (
        <span className={expired ? 'soft' : ''}>
          {expired ? 'ended ' : ''}
          {until === null ? 'never' : dateTime(until)}
          {retroactive ? <span className="soft small"> Also changes what earlier reports found</span> : null}
        </span>
      ),
    },
    {
      key: 'delete',
      title: 'Actions',
      // Only the owner sees how many issues a muting mutes, and can delete it.
      cell: (muting) =>
        muting.how_many === undefined ? null : (
          <Button look="quiet" aria-label={`Delete the muting of ${nameOf(muting)}`} onClick={() => end(muting)}>
            Delete
          </Button>
        ),
    },
  ];
}

function nameOf({ message, selector }: Muting): string {
  return selector === null ? message : `${message} in ${selector}`;
}

/** Returns a function that deletes a muting at once, and restores its row if the request fails. */
function useDeletion(): (muting: Muting) => void {
  const queries = useQueryClient();
  const change = useChange();
  const say = useToast();
  const refresh = async (): Promise<void> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['mutings'] }),
      queries.invalidateQueries({
        predicate: ({ queryKey: [type, , part] }) => type === 'report' && part === 'issues',
      }),
    ]);
  };
  const restore = ({ url_match, message, selector, comment, retroactive, expires_at }: Muting): void => {
    void change(async () => {
      await createMuting({ url_match, message, selector, comment, retroactive, expires_at });
      await refresh();
    });
  };
  return (muting) => {
    queries.setQueriesData<List<'muting'>>({ predicate: ({ queryKey }) => queryKey.includes('mutings') }, (list) =>
      list === undefined ? list : { ...list, items: list.items.filter(({ id }) => id !== muting.id) },
    );
    void change(() => deleteMuting(muting.id)).then(async (isDone) => {
      if (isDone) {
        const words =
          muting.how_many === 0 ? '' : ` ${count(muting.how_many ?? 0)} occurrences will be counted again shortly.`;
        // A restored muting that has expired would have no effect, or its end date would be lost.
        say(`Muting deleted.${words}`, muting.expired ? undefined : { title: 'Undo', run: () => restore(muting) });
      }
      await refresh();
    });
  };
}
