import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryView } from '../live/query-view.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Pager } from '../parts/pager.tsx';

interface Rows<Row> {
  readonly items: readonly Row[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** A page of a list that a query reads, with the way to the other pages. */
export function ListTable<Row extends { readonly id: string }>({
  query,
  caption,
  columns,
  empty,
  rows,
  before,
  after,
  ...order
}: {
  readonly query: UseQueryResult<Rows<Row>>;
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[] | ((list: Rows<Row>) => readonly Column<Row>[]);
  /** What stands in place of a list without items. */
  readonly empty: ReactNode;
  /** How many gray rows to show while loading. */
  readonly rows?: number;
  /** What stands above the table. */
  readonly before?: ReactNode;
  /** What stands between the table and its pages. */
  readonly after?: ReactNode;
  /** The order as the API spells it. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
}) {
  return (
    <QueryView query={query} {...(rows !== undefined && { rows })}>
      {(list) =>
        list.items.length === 0 ? (
          empty
        ) : (
          <>
            {before}
            <DataTable
              caption={caption}
              columns={typeof columns === 'function' ? columns(list) : columns}
              rows={list.items}
              keyOf={({ id }) => id}
              isStale={query.isPlaceholderData}
              {...order}
            />
            {after}
            <Pager page={list.page} pages={list.pages} total={list.total} />
          </>
        )
      }
    </QueryView>
  );
}
