import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** @param index position in `rows`, from 0 */
  readonly cell: (row: Row, index: number) => ReactNode;
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean;
  /** The API name of the sort key. */
  readonly sort?: string;
  /** In narrow windows, rows are cards, and the main column is their title. */
  readonly isMain?: boolean;
  /** Whether cards show the title before the value, as they always do for numbers. */
  readonly isNamed?: boolean;
  /** Hidden on cards. */
  readonly isExtra?: boolean;
}

interface Selection {
  readonly chosen: ReadonlySet<string>;
  readonly nameOf: (key: string) => string;
  /** Whether a row can be chosen. By default, all can. */
  readonly canChoose?: (key: string) => boolean;
  onChange(chosen: ReadonlySet<string>): void;
}

/** A table that the service sorts and divides into pages. In narrow windows, rows are cards. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  sort,
  onSort,
  selection,
  isStale = false,
}: {
  /** Describes the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The sort order, as in the API: `title`, or `-title` for descending. */
  readonly sort?: string | undefined;
  readonly onSort?: ((sort: string) => void) | undefined;
  readonly selection?: Selection | undefined;
  /** Whether new rows are loading. */
  readonly isStale?: boolean;
}) {
  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-busy={isStale}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {selection === undefined ? null : (
              <th scope="col" className={styles.choice}>
                <ChooseAll selection={selection} keys={rows.map(keyOf)} />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const key = keyOf(row);
            return (
              <tr key={key}>
                {selection === undefined ? null : <ChoiceCell selection={selection} row={key} />}
                {columns.map((column) => (
                  <Cell key={column.key} column={column} row={row} index={index} />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Heading<Row>({
  column,
  sort,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}) {
  const { title, sort: name, isNumber } = column;
  const className = isNumber === true ? styles.number : '';
  if (name === undefined || onSort === undefined) {
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  }
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  // Readers look for the largest numbers first.
  const next = order === 'none' ? (isNumber === true ? `-${name}` : name) : order === 'ascending' ? `-${name}` : name;
  const sign = (
    <span aria-hidden="true" className={styles.order}>
      {order === 'ascending' ? '▴' : order === 'descending' ? '▾' : ''}
    </span>
  );
  return (
    <th scope="col" className={className} aria-sort={order}>
      <button type="button" className={styles.sort} onClick={() => onSort(next)}>
        {/* A title ends where the numbers below it end. */}
        {isNumber === true ? sign : null}
        {title}
        {isNumber === true ? null : sign}
      </button>
    </th>
  );
}

function Cell<Row>({
  column,
  row,
  index,
}: {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly index: number;
}) {
  const content = column.cell(row, index);
  const className = [
    column.isNumber === true ? styles.number : '',
    column.isNamed === true ? styles.named : '',
    column.isMain === true ? styles.main : '',
    column.isExtra === true ? styles.extra : '',
  ].join(' ');
  return column.isMain === true ? (
    <th scope="row" className={className}>
      {content}
    </th>
  ) : (
    <td className={className} data-title={column.title}>
      {content}
    </td>
  );
}

/** Chooses all rows of the page, or none if all are chosen. Rows of other pages stay as they are. */
function ChooseAll({ selection, keys }: { readonly selection: Selection; readonly keys: readonly string[] }) {
  const { chosen, canChoose = () => true, onChange } = selection;
  const rows = new Set(keys.filter(canChoose));
  const isAll = rows.size > 0 && rows.isSubsetOf(chosen);
  const isSome = !isAll && !rows.isDisjointFrom(chosen);
  return (
    <label>
      <input
        type="checkbox"
        ref={(box) => {
          if (box !== null) box.indeterminate = isSome;
        }}
        checked={isAll}
        disabled={rows.size === 0}
        onChange={() => onChange(isAll ? chosen.difference(rows) : chosen.union(rows))}
      />
      <span className="visually-hidden">Select all on this page</span>
    </label>
  );
}

function ChoiceCell({ selection, row }: { readonly selection: Selection; readonly row: string }) {
  const { chosen, nameOf, canChoose = () => true, onChange } = selection;
  if (!canChoose(row)) return <td className={styles.choice} />;
  return (
    <td className={styles.choice}>
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(row)}`}
        checked={chosen.has(row)}
        onChange={() => onChange(chosen.symmetricDifference(new Set([row])))}
      />
    </td>
  );
}
