import { sql } from 'kysely';
import type { Change } from '../../../packages/client/changes.ts';
import type { CheckKind } from '../../domain/check.ts';
import { type Executor, inSnapshot } from '../database.ts';
import type { IssueChange } from '../schema.ts';
import { occurrencesOf } from './change-totals.ts';
import { type ChangedCounts, countChanges } from './issue-changes.ts';
import { countPageChanges, type DiffOfPages, type PageChangeCounts } from './page-changes.ts';
import { type FirstOf, firstPassing, type PassingChange, passingLists } from './passing-pages.ts';

/** What changed between two reports of a site: fixed issues first, each list in descending order. */
export interface SiteChanges {
  readonly counts: ChangedCounts;
  /** Errors among the occurrences that were fixed, and among those that are new or back. */
  readonly errors: { readonly fixed: number; readonly appeared: number };
  /** Issue types with occurrences that were fixed, and with occurrences that are new or back. */
  readonly fixed: FirstOf<IssueChange>;
  readonly appeared: FirstOf<IssueChange>;
  readonly pages: PageChangeCounts;
  /** Pages that pass now and had errors before, and the reverse. */
  readonly passing: FirstOf<PassingChange>;
  readonly failing: FirstOf<PassingChange>;
}

/**
 * Reads what changed, from one snapshot.
 * @param max the maximum number of rows in each list
 * @returns null if the diff has been replaced since
 */
export async function readSiteChanges(
  db: Executor,
  diff: DiffOfPages,
  kinds: readonly CheckKind[],
  max: number,
): Promise<SiteChanges | null> {
  const of = { ...diff, kinds };
  const pages = await countPageChanges(db, of);
  const lists = pages && (await passingLists(db, of));
  if (pages === null || lists === null) return null;
  return inSnapshot(db, async (trx) => {
    const kept = trx.selectFrom('diffs').select('id').where('id', '=', diff.id);
    if ((await kept.executeTakeFirst()) === undefined) return null;
    const typesWith = (changes: readonly Change[]) => firstTypes(trx, { id: diff.id, kinds, changes }, max);
    return {
      counts: await countChanges(trx, diff.id, kinds),
      errors: await countErrors(trx, diff.id, kinds),
      fixed: await typesWith(['fixed']),
      appeared: await typesWith(['new', 'regressed']),
      pages,
      passing: await firstPassing(trx, lists, of, 'passing', max),
      failing: await firstPassing(trx, lists, of, 'failing', max),
    };
  });
}

async function countErrors(db: Executor, diffId: number, kinds: readonly CheckKind[]): Promise<SiteChanges['errors']> {
  const sumOf = (...changes: Change[]) =>
    sql<number>`coalesce(sum(${sql.join(changes.map(occurrencesOf), sql` + `)}), 0)::bigint`;
  const errors = db.selectFrom('issue_changes').where('diff_id', '=', diffId).where('kind', 'in', kinds);
  return errors
    .where('issue_type', '=', 'error')
    .select([sumOf('fixed').as('fixed'), sumOf('new', 'regressed').as('appeared')])
    .executeTakeFirstOrThrow();
}

/**
 * Reads the issue types with occurrences of some changes: the types with the most of these occurrences first, then in the order
 * of comparisons.
 */
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
