import { type RawBuilder, sql } from 'kysely';
import { countsBy, type Measure } from '../../../packages/client/standards.ts';
import type { CheckKind } from '../../domain/check.ts';
import { CHECK_COUNTS, CHECK_STATUSES, countCheck, ISSUE_SUMS } from '../../domain/counts.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { hasSevere, issueSums } from '../issues/issue-sums.ts';
import { pendingKinds } from '../pages/checks.ts';
import { countPagesAtEnd, markEndChanged } from './keep-results.ts';
import { type ReportTransaction, reportTransaction } from './report-transaction.ts';
import { COUNTS_AT_END, recordEnd } from './results-at-end.ts';

/**
 * Measures a report against another standard, now and at its end: counts everything again from the stored issues. The results of
 * earlier re-checks stay unchanged.
 * @param given the settings to change; the others stay
 */
export async function measureReport(db: Executor, reportId: string, given: Partial<Measure>): Promise<void> {
  await reportTransaction(db, reportId, async (change) => {
    const { trx } = change;
    const measure = { ...change.measure, ...given };
    const { standard, best_practices } = measure;
    if (standard === change.measure.standard && best_practices === change.measure.best_practices)
      return change.markUnchanged();
    await trx.updateTable('reports').set({ standard, best_practices }).where('id', '=', reportId).execute();
    const kinds = await markIssues(change, measure);
    for (const kind of kinds) {
      await recountIssueTypes(change, kind);
      await recountChecks(change, kind);
    }
    if (kinds.length > 0) await recountEnd(change);
    await markEndChanged(change);
    // While the report was locked, workers skipped its checks when they claimed work.
    change.announce(...(await pendingKinds(trx, reportId)));
  });
}

/** Marks the issue types that do not belong to the standard, and their issues. @returns the kinds of check with changes */
async function markIssues({ trx, reportId }: ReportTransaction, measure: Measure): Promise<CheckKind[]> {
  const types = await trx
    .selectFrom('common_issues')
    .select(['id', 'kind', 'tags', 'outside_standard'])
    .where('report_id', '=', reportId)
    .execute();
  const isOutside = (tags: readonly string[]): boolean => !countsBy(measure, tags);
  const changed = types.filter(({ tags, outside_standard: before }) => isOutside(tags) !== before);
  await sql`UPDATE common_issues SET outside_standard = NOT outside_standard, updated_at = now()
    WHERE id = ANY(${changed.map(({ id }) => id)})`.execute(trx);
  await sql`
    UPDATE issues i SET muted = c.uncounted OR i.mutings IS NOT NULL
    FROM common_issues c
    WHERE i.common_issue_id = ANY(${changed.map(({ id }) => id)}) AND c.id = i.common_issue_id
      AND i.muted <> (c.uncounted OR i.mutings IS NOT NULL)`.execute(trx);
  // There are few combinations of tags, and usually no rows.
  const replaced = await sql<{ tags: string[]; kind: CheckKind }>`
    SELECT DISTINCT tags, kind FROM issues_before_recheck WHERE report_id = ${reportId}`.execute(trx);
  for (const { tags } of replaced.rows) {
    await sql`UPDATE issues_before_recheck SET outside_standard = ${isOutside(tags)}
      WHERE report_id = ${reportId} AND tags = ${tags}::text[]`.execute(trx);
  }
  return [...new Set([...changed, ...replaced.rows].map(({ kind }) => kind))];
}

/** Computes the counts of common issues of a kind from scratch. */
export async function recountIssueTypes({ trx, reportId }: ReportTransaction, kind: CheckKind): Promise<void> {
  await sql`
    UPDATE common_issues c SET how_many = s.how_many, num_web_pages = s.num_web_pages,
      muted_how_many = s.muted_how_many, muted_num_web_pages = s.muted_num_web_pages, updated_at = now()
    FROM (
      SELECT k.id, coalesce(sum(i.how_many) FILTER (WHERE NOT i.muted), 0) AS how_many,
        count(DISTINCT i.web_page_id) FILTER (WHERE NOT i.muted) AS num_web_pages,
        coalesce(sum(i.how_many) FILTER (WHERE i.muted), 0) AS muted_how_many,
        count(DISTINCT i.web_page_id) FILTER (WHERE i.muted) AS muted_num_web_pages
      FROM common_issues k LEFT JOIN issues i ON i.common_issue_id = k.id
      WHERE k.report_id = ${reportId} AND k.kind = ${kind} GROUP BY k.id
    ) s
    WHERE c.id = s.id AND (c.how_many, c.num_web_pages, c.muted_how_many, c.muted_num_web_pages)
      <> (s.how_many, s.num_web_pages, s.muted_how_many, s.muted_num_web_pages)`.execute(trx);
}

/** Computes the counts of the checks of a kind from their issues, and the sums of the report. */
async function recountChecks(change: ReportTransaction, kind: CheckKind): Promise<void> {
  await recountSums(change, kind, sql`true`);
  await recountReport(change, kind);
}

/** Computes the counts of the checks of a kind of some pages from their issues, and adds the difference to the report. */
export async function recountChecksOf(
  change: ReportTransaction,
  kind: CheckKind,
  webPageIds: readonly number[],
): Promise<void> {
  const checks = change.trx
    .selectFrom('checks')
    .select(['status', ...ISSUE_SUMS])
    .where('kind', '=', kind)
    .where(sql<boolean>`web_page_id = ANY(${webPageIds})`);
  for (const check of await checks.execute()) change.uncount(kind, { ...check, ...countCheck(check) });
  await recountSums(change, kind, sql`k.web_page_id = ANY(${webPageIds})`);
  for (const check of await checks.execute()) change.count(kind, { ...check, ...countCheck(check) });
}

/** @param isWanted a condition on the page `k.web_page_id` */
async function recountSums(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  isWanted: RawBuilder<unknown>,
): Promise<void> {
  const each = (of: (name: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql.join(ISSUE_SUMS.map((name) => of(sql.ref(name))));
  await sql`
    UPDATE checks c SET ${each((name) => sql`${name} = s.${name}`)}
    FROM (
      SELECT k.web_page_id, ${each((name) => sql`coalesce(found.${name}, 0) AS ${name}`)}
      FROM checks k LEFT JOIN (
        SELECT i.web_page_id, ${issueSums(sql`i.how_many`)}
        FROM issues i JOIN common_issues c ON c.id = i.common_issue_id JOIN checks k ON k.web_page_id = i.web_page_id AND k.kind = i.kind
        WHERE c.report_id = ${reportId} AND c.kind = ${kind} AND NOT i.muted AND ${isWanted} GROUP BY i.web_page_id
      ) found ON found.web_page_id = k.web_page_id
      WHERE k.report_id = ${reportId} AND k.kind = ${kind} AND ${isWanted}
    ) s
    WHERE c.web_page_id = s.web_page_id AND c.kind = ${kind} AND (${each((name) => sql`c.${name}`)}) <> (${each((name) => sql`s.${name}`)})`.execute(
    trx,
  );
}

/** Computes the sums of a report from its checks. */
export async function recountReport({ trx, reportId }: ReportTransaction, kind: CheckKind): Promise<void> {
  const counted = [
    ...CHECK_STATUSES.map((status) => sql`count(*) FILTER (WHERE status = ${status}) AS ${sql.ref(status)}`),
    sql`count(*) FILTER (WHERE state = 'with_errors') AS with_errors`,
    sql`count(*) FILTER (WHERE ${hasSevere('checks')}) AS with_severe`,
  ];
  const summed = ISSUE_SUMS.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0) AS ${sql.ref(name)}`);
  await sql`
    UPDATE report_checks r SET ${sql.join(CHECK_COUNTS.map((name) => sql`${sql.ref(name)} = s.${sql.ref(name)}`))}
    FROM (
      SELECT ${sql.join([...counted, ...summed])} FROM checks WHERE report_id = ${reportId} AND kind = ${kind}
    ) s WHERE r.report_id = ${reportId} AND r.kind = ${kind}`.execute(trx);
  await sql`
    UPDATE reports SET (checked_pages, passed_pages) = (
      SELECT count(*), count(*) FILTER (WHERE errors = 0) FROM (
        SELECT sum(errors) AS errors FROM checks WHERE report_id = ${reportId}
        GROUP BY web_page_id HAVING bool_and(status = 'checked')
      ) pages
    ) WHERE id = ${reportId}`.execute(trx);
}

/** A statement may take 30 seconds. */
const PAGES_PER_STATEMENT = 1_000;

/** Computes the counts at the end of a report from scratch. */
async function recountEnd(change: ReportTransaction): Promise<void> {
  const { trx, reportId } = change;
  const { rows } = await sql<{ changed: boolean }>`
    SELECT changed_since_end AS changed FROM reports WHERE id = ${reportId} AND first_finished_at IS NOT NULL`.execute(
    trx,
  );
  if (rows[0] === undefined) return;
  if (!rows[0].changed) return recordEnd(trx, reportId);
  await sql`
    UPDATE report_checks_at_end SET ${sql.join(COUNTS_AT_END.map((name) => sql`${sql.ref(name)} = 0`))}
    WHERE report_id = ${reportId}`.execute(trx);
  await sql`UPDATE reports SET checked_pages_at_end = 0, passed_pages_at_end = 0 WHERE id = ${reportId}`.execute(trx);
  const pages = await trx.selectFrom('web_pages').select('id').where('report_id', '=', reportId).execute();
  for (const slice of slicesOf(pages, PAGES_PER_STATEMENT)) {
    await countPagesAtEnd(
      change,
      slice.map(({ id }) => id),
      1,
    );
  }
}
