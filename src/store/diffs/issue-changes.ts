import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { CHANGES, type Change, DECISION_EFFECTS, type DecisionEffects } from '../../../packages/client/changes.ts';
import { noneOf } from '../../domain/amounts.ts';
import { CHANGE_NAMES, type ChangeName } from '../../domain/change.ts';
import { type CheckKind, IMPACTS } from '../../domain/check.ts';
import { type Executor, inSnapshot } from '../database.ts';
import { type Occurrence, readSingleOccurrences } from '../issues/occurrences.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { CommonIssue, IssueChange } from '../schema.ts';
import { decidedSums, occurrencesOf } from './change-totals.ts';
import type { ReadDiff } from './diffs.ts';

/**
 * Builds the condition that an issue type has one of the changes: it has occurrences with the change, or `more` or `fewer`
 * occurrences than before, so that filters agree with the counts of occurrences.
 */
export function hasChange(
  change: RawBuilder<unknown>,
  occurrences: RawBuilder<unknown>,
  wanted: readonly ChangeName[],
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(coalesce(jsonb_exists_any(${occurrences}, ${[...wanted]}::text[]), false) OR ${change} = ANY(${wanted.filter((name) => name === 'more' || name === 'fewer')}::text[]))`;
}

/** Which changes to list. */
export interface ChangeFilter {
  readonly kinds: readonly CheckKind[];
  readonly changes?: readonly ChangeName[] | undefined;
  /** Orders by severity, errors first. By default, changes for the worse come first. */
  readonly worstFirst?: boolean;
}

/** How an issue type changed, with the common issue that lists its occurrences. */
export interface ListedChange extends IssueChange {
  /** In the report if it still exists there, or else in the earlier one; null if it no longer exists in either. */
  readonly common_issue: { readonly id: number; readonly report_id: string; readonly tags: readonly string[] } | null;
  /** One of the occurrences in the report; null if the report has none, or if its page has been checked again. */
  readonly sample: Occurrence | null;
}

/**
 * Returns a page of the changes, and the occurrences of each change, from one snapshot.
 * @returns null if the diff has been replaced since
 */
export function readIssueChanges(
  db: Executor,
  diff: ReadDiff,
  filter: ChangeFilter,
  page: PageRequest,
): Promise<{ readonly page: ListPage<ListedChange>; readonly counts: ChangedCounts } | null> {
  return inSnapshot(db, async (trx) => {
    const kept = trx.selectFrom('diffs').select('id').where('id', '=', diff.id);
    if ((await kept.executeTakeFirst()) === undefined) return null;
    return {
      page: await listIssueChanges(trx, diff, filter, page),
      counts: await countChanges(trx, diff.id, filter.kinds),
    };
  });
}

/** Returns a page of the changes: changes for the worse first, then by severity. */
export async function listIssueChanges(
  db: Executor,
  diff: ReadDiff,
  { kinds, changes, worstFirst = false }: ChangeFilter,
  page: PageRequest,
): Promise<ListPage<ListedChange>> {
  const { id, reportId, withId } = diff;
  let list = db.selectFrom('issue_changes').where('diff_id', '=', id);
  list = list.where('kind', 'in', kinds);
  if (changes !== undefined) list = list.where(hasChange(sql.ref('change'), sql.ref('occurrences'), changes));
  const severity = sql<number>`CASE WHEN issue_type <> 'error' THEN 0 WHEN impact IS NULL THEN 3 ELSE array_position(${[...IMPACTS]}::text[], impact) END`;
  const { total, rows } = await listPage(list, page, (shown) =>
    (worstFirst ? shown.selectAll().orderBy(severity, 'desc') : shown.selectAll()).orderBy('position'),
  );
  if (rows.length === 0) return { total, rows: [] };
  const samples = await samplesOf(db, rows);
  const { rows: common } = await sql<Pick<CommonIssue, 'id' | 'report_id' | 'kind' | 'fingerprint' | 'tags'>>`
    SELECT id, report_id, kind, fingerprint, tags FROM common_issues
    WHERE report_id IN (${reportId}, ${withId}) AND kind = ANY(${kinds})
      AND fingerprint = ANY(${rows.map(({ fingerprint }) => fingerprint)})`.execute(db);
  const keyOf = (of: string, kind: CheckKind, fingerprint: Buffer): string =>
    `${of} ${kind} ${fingerprint.toString('hex')}`;
  const known = new Map(common.map((issue) => [keyOf(issue.report_id, issue.kind, issue.fingerprint), issue]));
  const find = (of: string, { kind, fingerprint }: IssueChange) => {
    const found = known.get(keyOf(of, kind, fingerprint));
    return found === undefined ? null : { id: found.id, report_id: of, tags: found.tags };
  };
  return {
    total,
    rows: rows.map((row) => ({
      ...row,
      common_issue: find(reportId, row) ?? find(withId, row),
      sample: samples.get(`${row.sample_issue_id}-${row.sample_occurrence}`) ?? null,
    })),
  };
}

/** Returns the sample occurrences of changes, by issue and position. */
async function samplesOf(db: Executor, changes: readonly IssueChange[]): Promise<ReadonlyMap<string, Occurrence>> {
  const wanted = changes.flatMap(({ sample_issue_id: issue, sample_occurrence: position }) =>
    issue === null || position === null ? [] : [{ issue, position }],
  );
  return new Map(
    (await readSingleOccurrences(db, wanted)).map((occurrence) => [
      `${occurrence.issue_id}-${occurrence.position}`,
      occurrence,
    ]),
  );
}

/** What a diff counts. */
export interface ChangedCounts {
  /** Occurrences with each change. */
  readonly occurrences: Readonly<Record<Change, number>>;
  /** Issue types that a filter by each name finds. */
  readonly issueTypes: Readonly<Record<ChangeName, number>>;
  /** Occurrences that decisions have changed, by effect. */
  readonly decided: DecisionEffects;
}

/** The number of occurrences with each change if there is no diff. */
export const NO_CHANGES: Readonly<Record<Change, number>> = noneOf(CHANGES);

export const NOTHING_CHANGED: ChangedCounts = {
  occurrences: NO_CHANGES,
  issueTypes: noneOf(CHANGE_NAMES),
  decided: noneOf(DECISION_EFFECTS),
};

/** Counts the results of lists of changes. */
export async function countChanges(db: Executor, diffId: number, kinds: readonly CheckKind[]): Promise<ChangedCounts> {
  const [change, occurrences] = [sql.ref('change'), sql.ref('occurrences')];
  const found = CHANGE_NAMES.map(
    (name) => sql`${sql.lit(name)}, count(*) FILTER (WHERE ${hasChange(change, occurrences, [name])})`,
  );
  const sums = CHANGES.map((name) => sql`${sql.lit(name)}, coalesce(sum(${occurrencesOf(name)}), 0)`);
  const { rows } = await sql<ChangedCounts>`
    SELECT json_build_object(${sql.join(sums)}) AS occurrences, json_build_object(${sql.join(found)}) AS "issueTypes",
      ${decidedSums()} AS decided
    FROM issue_changes WHERE diff_id = ${diffId} AND kind = ANY(${kinds})`.execute(db);
  return rows[0] ?? NOTHING_CHANGED;
}
