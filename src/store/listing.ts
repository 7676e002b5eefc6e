import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

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

/** Rows to skip before a page. */
export function offsetOf(page: PageRequest): number {
  return (page.number - 1) * page.size;
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
