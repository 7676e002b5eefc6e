import { type RawBuilder, sql } from 'kysely';
import type { Change } from '../../../packages/client/changes.ts';
import type { CheckKind } from '../../domain/check.ts';
import { type Executor, inSnapshot } from '../database.ts';
import { checksAt, issuesAt, pagesAt, type ResultsAt } from '../reports/results-at-end.ts';
import type { IssueChange } from '../schema.ts';
import { occurrencesOf } from './change-totals.ts';
import { type ChangedCounts, countChanges } from './issue-changes.ts';
import { countPageChanges, type DiffOfPages, type PageChangeCounts } from './page-changes.ts';
import { matchedUrlOf } from './page-match.ts';

/** The first rows of a list, and the number of all. */
export interface FirstOf<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** A page that passes in one of two reports and has errors in the other one. */
export interface PassingChange {
  readonly id: string;
  readonly url: string;
  readonly title: string | null;
  /** Errors in the report in which it does not pass. */
  readonly errors: number;
}

/** What changed between two reports of a site: first what was fixed, the most first. */
export interface SiteChanges {
  readonly counts: ChangedCounts;
  /** Issue types with occurrences that were fixed, and with occurrences that are new or back. */
  readonly fixed: FirstOf<IssueChange>;
  readonly came: FirstOf<IssueChange>;
  readonly pages: PageChangeCounts;
  /** Pages that pass now and had errors before, and the reverse. */
  readonly passing: FirstOf<PassingChange>;
  readonly failing: FirstOf<PassingChange>;
}

/**
 * Reads what changed, from one snapshot.
 * @param max rows of each list
 * @returns null if the diff has been replaced since
 */
export async function readSiteChanges(
  db: Executor,
  diff: DiffOfPages,
  kinds: readonly CheckKind[],
  max: number,
): Promise<SiteChanges | null> {
  const pages = await countPageChanges(db, { ...diff, kinds });
  if (pages === null) return null;
  return inSnapshot(db, async (trx) => {
    const kept = trx.selectFrom('diffs').select('id').where('id', '=', diff.id);
    if ((await kept.executeTakeFirst()) === undefined) return null;
    const typesWith = (changes: readonly Change[]) => firstTypes(trx, { id: diff.id, kinds, changes }, max);
    return {
      counts: await countChanges(trx, diff.id, kinds),
      fixed: await typesWith(['fixed']),
      came: await typesWith(['new', 'regressed']),
      pages,
      passing: await firstPages(trx, passingPages(diff, kinds, 'now'), max),
      failing: await firstPages(trx, passingPages(diff, kinds, 'before'), max),
    };
  });
}

/** Reads the issue types with occurrences of some changes: the most of these occurrences first, then as comparisons list them. */
async function firstTypes(
  db: Executor,
  {
    id,
    kinds,
    changes,
  }: { readonly id: number; readonly kinds: readonly CheckKind[]; readonly changes: readonly Change[] },
  max: number,
): Promise<FirstOf<IssueChange>> {
  const howMany = sql<number>`(${sql.join(changes.map(occurrencesOf), sql` + `)})`;
  const types = db
    .selectFrom('issue_changes')
    .where('diff_id', '=', id)
    .where('kind', 'in', kinds)
    .where(howMany, '>', 0);
  const { total } = await types.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await types.selectAll().orderBy(howMany, 'desc').orderBy('position').limit(max).execute();
  return { total, rows };
}

async function firstPages(db: Executor, pages: RawBuilder<unknown>, max: number): Promise<FirstOf<PassingChange>> {
  const { rows } = await sql<PassingChange & { total: number }>`
    SELECT found.*, count(*) OVER () AS total FROM (${pages}) found ORDER BY errors DESC, url LIMIT ${max}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...page }) => page) };
}

/**
 * Builds the query for pages of both reports that pass in one of them, and have errors in the other one. Pages that could not be
 * checked are in neither list.
 */
function passingPages(
  { reportId, withId, at, atBefore, match }: DiffOfPages,
  kinds: readonly CheckKind[],
  passesIn: 'now' | 'before',
): RawBuilder<unknown> {
  const [now, before] = [errorsOf('p', at, kinds), errorsOf('o', atBefore, kinds)];
  const [passing, other] = passesIn === 'now' ? [now, before] : [before, now];
  return sql`
    SELECT p.id, p.url, p.title, failed.errors
    FROM ${pagesAt(at)} p JOIN ${pagesAt(atBefore)} o ON o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')}
      CROSS JOIN LATERAL (${passing} HAVING bool_and(status = 'checked') AND sum(errors) = 0) passed
      CROSS JOIN LATERAL (${other} HAVING sum(errors) > 0) failed
    WHERE p.report_id = ${reportId}`;
}

/** Builds the query for the errors of some checks of a page. @param page an alias of the page */
function errorsOf(page: string, at: ResultsAt, kinds: readonly CheckKind[]): RawBuilder<unknown> {
  const errors =
    at === 'now'
      ? sql`c.errors`
      : sql`(SELECT coalesce(sum(how_many), 0) FROM ${issuesAt(at)} i
          WHERE i.web_page_id = c.web_page_id AND i.kind = c.kind AND i.issue_type = 'error' AND NOT i.muted)`;
  return sql`SELECT sum(errors) AS errors FROM (
    SELECT c.status, ${errors} AS errors FROM ${checksAt(at)} c
    WHERE c.web_page_id = ${sql.ref(`${page}.id`)} AND c.kind = ANY(${[...kinds]})) checks`;
}
