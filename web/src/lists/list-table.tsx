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

/** A table with a page of a list, and links to the other pages. */
export function ListTable<Row extends { readonly id: string }>({
  query,
  caption,
  columns,
  empty,
  rows,
  before,
  after,
  hasPages = true,
  ...order
}: {
  readonly query: UseQueryResult<Rows<Row>>;
  /** Describes the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[] | ((list: Rows<Row>) => readonly Column<Row>[]);
  /** Content in place of an empty list. */
  readonly empty: ReactNode;
  /** How many placeholder rows to show while loading. */
  readonly rows?: number;
  /** Content above the table. */
  readonly before?: ReactNode;
  /** Content between the table and the pager. */
  readonly after?: ReactNode;
  /** Whether `page` in the URL belongs to this list. Default: true. False for lists that show only their first rows. */
  readonly hasPages?: boolean;
  /** The sort order, as in the API. */
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
            {hasPages ? <Pager page={list.page} pages={list.pages} total={list.total} /> : null}
          </>
        )
      }
    </QueryView>
  );
}
