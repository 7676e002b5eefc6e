import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/** One page of a list: `number` from 1, `size` rows each. */
export interface PageRequest {
  readonly number: number;
  readonly size: number;
}

export interface ListPage<Row> {
  /** Rows of the whole list. */
  readonly total: number;
  readonly rows: readonly Row[];
}

export const TAG_MODES = ['any', 'all', 'none'] as const;

/** Rows that have any, all or none of some tags. Tags compare without regard to case. */
export interface TagFilter {
  readonly mode: (typeof TAG_MODES)[number];
  /** Empty filters nothing. */
  readonly tags: readonly string[];
}

export type Direction = 'asc' | 'desc';

/** The rows of a whole list, with nothing selected yet. */
type Rows<DB, TB extends keyof DB> = SelectQueryBuilder<DB, TB, Record<never, never>>;

export interface ListHints {
  /** The column that tells the rows apart, `id` when absent. */
  readonly id?: string;
  /** How many rows the list has, where that is kept: then they are not counted. */
  readonly total?: number | undefined;
  /** Where there is a shorter way to the ids than through the list: all of them in the list's order, under that name. */
  readonly ids?: IdsInOrder | undefined;
}

interface IdsInOrder {
  limit(count: number): {
    offset(count: number): { execute(): Promise<readonly { readonly id: unknown }[]> };
  };
}

/** An array of PostgreSQL has no places beyond; a list has fewer rows. */
const PLACE_MAX = 2 ** 31 - 1;

/**
 * A page of a list. Its ids are found first, which an index alone can answer however deep the page is, and only then the
 * rows of this page.
 * @param select adds the columns and a total order, so that no row comes twice or never
 */
export async function listPage<DB, TB extends keyof DB, Row>(
  list: Rows<DB, TB>,
  page: PageRequest,
  select: (list: Rows<DB, TB>) => SelectQueryBuilder<DB, TB, Row>,
  hints: ListHints = {},
): Promise<ListPage<Row>> {
  const id = sql.ref(hints.id ?? 'id');
  const offset = Math.min((page.number - 1) * page.size, PLACE_MAX - page.size);
  if (hints.total !== undefined && offset >= hints.total) return { total: hints.total, rows: [] };
  const ordered = select(list).clearSelect();
  const { total, ids } =
    hints.total === undefined
      ? await countAndCut(list, ordered, id, offset, page.size)
      : {
          total: hints.total,
          ids: await cut(hints.ids ?? ordered.select(id.as('id')).$castTo<{ id: unknown }>(), offset, page.size),
        };
  if (ids.length === 0) return { total, rows: [] };
  const rows = select(list.clearWhere()).where(sql<SqlBool>`${id} = ANY(${ids})`);
  return { total, rows: await rows.execute() };
}

/** Both in one walk through the list. */
async function countAndCut<DB, TB extends keyof DB>(
  list: Rows<DB, TB>,
  ordered: Rows<DB, TB>,
  id: RawBuilder<unknown>,
  offset: number,
  size: number,
): Promise<{ total: number; ids: readonly unknown[] }> {
  const { orderBy } = ordered.toOperationNode();
  if (orderBy === undefined) throw new Error('A list needs an order.');
  const ids = sql`array_agg(${id} ${{ toOperationNode: () => orderBy }})`;
  const query = list.select([
    sql`count(*)`.as('total'),
    sql`(${ids})[${offset + 1}::integer : ${offset + size}::integer]`.as('ids'),
  ]);
  const row = await query.$castTo<{ total: number; ids: unknown[] | null }>().executeTakeFirstOrThrow();
  return { total: row.total, ids: row.ids ?? [] };
}

async function cut(ids: IdsInOrder, offset: number, size: number): Promise<readonly unknown[]> {
  const rows = await ids.limit(size).offset(offset).execute();
  return rows.map((row) => row.id);
}

/** Whether the part occurs in the text, character by character but without regard to case. */
export function contains(text: Expression<string>, part: string): RawBuilder<SqlBool> {
  return foldedContains(folded(text), part);
}

/** The same where the text is kept folded; null where it is not kept. */
export function foldedContains(text: Expression<string | null>, part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`strpos(${text}, ${folded(sql`${part}::text`)}) > 0`;
}

export function taggedWith(column: Expression<readonly string[]>, filter: TagFilter): RawBuilder<SqlBool> {
  return foldedTaggedWith(foldedTags(column), filter);
}

/** The same where the tags are kept folded. */
export function foldedTaggedWith(has: Expression<readonly string[]>, filter: TagFilter): RawBuilder<SqlBool> {
  if (filter.tags.length === 0) return sql<SqlBool>`true`;
  const wanted = foldedTags(sql`${[...filter.tags]}::text[]`);
  // PostgreSQL takes any tag for rare, and would begin with looking for it in the whole table; of this it knows nothing.
  const unguessed = (condition: RawBuilder<unknown>) => sql<SqlBool>`coalesce(${condition}, false)`;
  if (filter.mode === 'all') return unguessed(sql`${has} @> ${wanted}`);
  if (filter.mode === 'none') return unguessed(sql`NOT ${has} && ${wanted}`);
  return unguessed(sql`${has} && ${wanted}`);
}

function foldedTags(tags: Expression<unknown>): RawBuilder<readonly string[]> {
  return sql<readonly string[]>`ARRAY(SELECT ${folded(sql`tag`)} FROM unnest(${tags}) AS tag)`;
}

/** Unicode's case folding, the same in every database whatever its locale; folded texts compare byte by byte. */
export function folded(text: Expression<unknown>): RawBuilder<string> {
  return sql<string>`casefold(${text} COLLATE "pg_unicode_fast") COLLATE "C"`;
}
