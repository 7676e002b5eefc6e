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

/**
 * A page of a list.
 * @param list the rows of the whole list, with nothing selected yet
 * @param select adds the columns and a total order, so that no row comes twice or never
 */
export async function listPage<DB, TB extends keyof DB, Row>(
  list: SelectQueryBuilder<DB, TB, Record<never, never>>,
  page: PageRequest,
  select: (list: SelectQueryBuilder<DB, TB, Record<never, never>>) => SelectQueryBuilder<DB, TB, Row>,
): Promise<ListPage<Row>> {
  const count = list.select((eb) => eb.fn.countAll<number>().as('total')).$castTo<{ total: number }>();
  const { total } = await count.executeTakeFirstOrThrow();
  const offset = (page.number - 1) * page.size;
  if (offset >= total) return { total, rows: [] };
  return { total, rows: await select(list).limit(page.size).offset(offset).execute() };
}

/** Whether the text occurs in the column, character by character but without regard to case. */
export function contains(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`strpos(${folded(column)}, ${folded(sql`${text}::text`)}) > 0`;
}

export function taggedWith(column: Expression<readonly string[]>, filter: TagFilter): RawBuilder<SqlBool> {
  if (filter.tags.length === 0) return sql<SqlBool>`true`;
  const has = sql`ARRAY(SELECT ${folded(sql`tag`)} FROM unnest(${column}) AS tag)`;
  const wanted = sql`ARRAY(SELECT ${folded(sql`tag`)} FROM unnest(${[...filter.tags]}::text[]) AS tag)`;
  if (filter.mode === 'all') return sql<SqlBool>`${has} @> ${wanted}`;
  if (filter.mode === 'none') return sql<SqlBool>`NOT ${has} && ${wanted}`;
  return sql<SqlBool>`${has} && ${wanted}`;
}

/** Unicode's case folding, the same in every database whatever its locale. */
function folded(text: Expression<unknown>): RawBuilder<string> {
  return sql<string>`casefold(${text} COLLATE "pg_unicode_fast")`;
}
