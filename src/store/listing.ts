import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/** One page of a list: `number` from 1, `size` rows each. */
export interface PageRequest {
  readonly number: number;
  readonly size: number;
}

export interface ListPage<Row> {
  /** Number of rows in the whole list. */
  readonly total: number;
  readonly rows: readonly Row[];
}

export const TAG_MODES = ['any', 'all', 'none'] as const;

/** Filters rows that have any, all or none of some tags, ignoring case. */
export interface TagFilter {
  readonly mode: (typeof TAG_MODES)[number];
  /** Empty: all rows match. */
  readonly tags: readonly string[];
}

export type Direction = 'asc' | 'desc';

/** The rows of a whole list, with nothing selected yet. */
type Rows<DB, TB extends keyof DB> = SelectQueryBuilder<DB, TB, Record<never, never>>;

export interface ListHints {
  /** The column that identifies a row. Default `id`. */
  readonly id?: string;
  /** The stored number of rows, if there is one; otherwise, they are counted. */
  readonly total?: number | undefined;
  /** A faster query for all ids of the list, in the order of the list, as a column `id`. */
  readonly ids?: IdsInOrder | undefined;
}

/** A query for ids. */
export interface IdsInOrder {
  limit(count: number): {
    offset(count: number): { execute(): Promise<readonly { readonly id: unknown }[]> };
  };
}

/** The largest index into a PostgreSQL array. Lists have fewer rows. */
const INDEX_MAX = 2 ** 31 - 1;

/**
 * Returns a page of a list. First finds the ids of the page, for which an index is enough regardless of the page's number, and
 * then reads only the rows of the page.
 * @param select adds the columns and a total order, so that each row is on exactly one page
 */
export async function listPage<DB, TB extends keyof DB, Row>(
  list: Rows<DB, TB>,
  page: PageRequest,
  select: (list: Rows<DB, TB>) => SelectQueryBuilder<DB, TB, Row>,
  hints: ListHints = {},
): Promise<ListPage<Row>> {
  const id = sql.ref(hints.id ?? 'id');
  const offset = Math.min((page.number - 1) * page.size, INDEX_MAX - page.size);
  if (hints.total !== undefined && offset >= hints.total) return { total: hints.total, rows: [] };
  const ordered = select(list).clearSelect();
  const { total, ids } =
    hints.total === undefined
      ? await countAndSelectIds(list, ordered, id, offset, page.size)
      : {
          total: hints.total,
          ids: await selectIds(hints.ids ?? ordered.select(id.as('id')).$castTo<{ id: unknown }>(), offset, page.size),
        };
  if (ids.length === 0) return { total, rows: [] };
  const rows = select(list.clearWhere()).where(sql<SqlBool>`${id} = ANY(${ids})`);
  return { total, rows: await rows.execute() };
}

/** Counts the rows and selects the ids of a page in one scan of the list. */
async function countAndSelectIds<DB, TB extends keyof DB>(
  list: Rows<DB, TB>,
  ordered: Rows<DB, TB>,
  id: RawBuilder<unknown>,
  offset: number,
  size: number,
): Promise<{ total: number; ids: readonly unknown[] }> {
  const { orderBy } = ordered.toOperationNode();
  if (orderBy === undefined) throw new Error('A list requires an order.');
  const ids = sql`array_agg(${id} ${{ toOperationNode: () => orderBy }})`;
  const query = list.select([
    sql`count(*)`.as('total'),
    sql`(${ids})[${offset + 1}::integer : ${offset + size}::integer]`.as('ids'),
  ]);
  const row = await query.$castTo<{ total: number; ids: unknown[] | null }>().executeTakeFirstOrThrow();
  return { total: row.total, ids: row.ids ?? [] };
}

/** Counts the rows of a query. */
export async function countRows<DB, TB extends keyof DB>(rows: Rows<DB, TB>): Promise<number> {
  const counted = rows.select((eb) => eb.fn.countAll<number>().as('count')).$castTo<{ count: number }>();
  return (await counted.executeTakeFirstOrThrow()).count;
}

async function selectIds(ids: IdsInOrder, offset: number, size: number): Promise<readonly unknown[]> {
  const rows = await ids.limit(size).offset(offset).execute();
  return rows.map((row) => row.id);
}

/** Builds the condition that a text contains a part, ignoring case. */
export function contains(text: Expression<string>, part: string): RawBuilder<SqlBool> {
  return foldedContains(folded(text), part);
}

/** The same for a text that is stored case-folded; null if it is null. */
export function foldedContains(text: Expression<string | null>, part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`strpos(${text}, ${folded(sql`${part}::text`)}) > 0`;
}

export function taggedWith(column: Expression<readonly string[]>, filter: TagFilter): RawBuilder<SqlBool> {
  return foldedTaggedWith(foldedTags(column), filter);
}

/** The same for tags that are stored case-folded. */
export function foldedTaggedWith(has: Expression<readonly string[]>, filter: TagFilter): RawBuilder<SqlBool> {
  if (filter.tags.length === 0) return sql<SqlBool>`true`;
  const wanted = foldedTags(sql`${[...filter.tags]}::text[]`);
  // PostgreSQL estimates that tags are rare, and would search the whole table for them first. It has no estimate for `coalesce`.
  const unestimated = (condition: RawBuilder<unknown>) => sql<SqlBool>`coalesce(${condition}, false)`;
  if (filter.mode === 'all') return unestimated(sql`${has} @> ${wanted}`);
  if (filter.mode === 'none') return unestimated(sql`NOT ${has} && ${wanted}`);
  return unestimated(sql`${has} && ${wanted}`);
}

function foldedTags(tags: Expression<unknown>): RawBuilder<readonly string[]> {
  return sql<readonly string[]>`ARRAY(SELECT ${folded(sql`tag`)} FROM unnest(${tags}) AS tag)`;
}

/** Applies Unicode case folding, which is the same in every locale. Folded texts are compared byte by byte. */
export function folded(text: Expression<unknown>): RawBuilder<string> {
  return sql<string>`casefold(${text} COLLATE "pg_unicode_fast") COLLATE "C"`;
}

/** Rows read from the database at a time. */
const CHUNK_ROWS = 100;

export type Lister<Row> = (page: PageRequest) => Promise<ListPage<Row>>;

/** Yields all rows of a list, with at most `CHUNK_ROWS` of them in memory. */
export async function* rowsOf<Row>(list: Lister<Row>): AsyncGenerator<Row> {
  for await (const rows of batchesOf(list)) yield* rows;
}

/** Yields all rows of a list, `CHUNK_ROWS` at a time. */
export async function* batchesOf<Row>(list: Lister<Row>): AsyncGenerator<readonly Row[]> {
  for (let number = 1; ; number += 1) {
    const { rows } = await list({ number, size: CHUNK_ROWS });
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK_ROWS) return;
  }
}
