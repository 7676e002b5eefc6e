import { createHash } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { NO_OCCURRENCES, type RecheckCounts, type RecheckDiff } from '../../issues/diff-recheck.ts';
import { AppError } from '../../platform/errors.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import type { RecheckTable } from './recheck-tables.ts';

/** Re-checks of several pages, with the results of their occurrences. */

/** The number of re-checks of a report that are kept: the latest ones. */
export const KEPT_RECHECKS_MAX = 50;
/**
 * The number of re-checks of a report that may wait for checks at a time. Re-checks of pages that are already waiting cost no
 * credits, and each has a row for each check.
 */
export const UNFINISHED_RECHECKS_MAX = 20;
/** Pages in one statement. */
const BATCH_PAGES = 1_000;

/** What is checked again: some pages, or the pages with a common issue. */
export interface RecheckSubject {
  readonly ids: readonly number[];
  readonly kind?: CheckKind;
  readonly commonIssueId?: number;
}

/** Whether a row of `rechecks` waits for checks. */
const isUnfinished = sql<SqlBool>`EXISTS (SELECT FROM recheck_checks w WHERE w.recheck_id = rechecks.id)`;

/**
 * Returns the re-check of the same common issue, or of the same pages, if it has not ended.
 * @throws AppError conflict if there is none and too many others have not ended
 */
export async function findUnfinishedRecheck(
  { trx, reportId }: ReportTransaction,
  subject: RecheckSubject,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; isSame: boolean }>`
    SELECT id, (kind, common_issue_id, pages_hash)
      IS NOT DISTINCT FROM (${subject.kind ?? null}::text, ${subject.commonIssueId ?? null}::bigint, ${pagesHash(subject)}::bytea) AS "isSame"
    FROM rechecks WHERE report_id = ${reportId} AND ${isUnfinished}`.execute(trx);
  const same = rows.find(({ isSame }) => isSame);
  if (same === undefined && rows.length >= UNFINISHED_RECHECKS_MAX) {
    throw new AppError('conflict', `${rows.length} re-checks of this report have not ended. Wait until one has.`);
  }
  return same?.id;
}

/** Identifies pages that were requested by id; null for the pages with a common issue, because these change. */
function pagesHash({ ids, commonIssueId }: RecheckSubject): Buffer | null {
  return commonIssueId === undefined ? createHash('sha256').update(ids.join()).digest() : null;
}

/** Records a re-check whose pages are scheduled, and returns its id. */
export async function insertRecheck(
  change: ReportTransaction,
  subject: RecheckSubject,
  credits: number,
): Promise<string> {
  const { trx, reportId } = change;
  const { ids, kind = null, commonIssueId = null } = subject;
  const { rows } = await sql<{ id: string }>`
    INSERT INTO rechecks (report_id, kind, common_issue_id, fingerprint, message, num_web_pages, credits, pages_hash)
    SELECT ${reportId}, ${kind}::text, c.id, c.fingerprint, c.message, ${ids.length}, ${credits}, ${pagesHash(subject)}
    FROM (SELECT) one LEFT JOIN common_issues c ON c.id = ${commonIssueId}::bigint
    RETURNING id`.execute(trx);
  const id = rows[0]?.id ?? '';
  for (const slice of slicesOf(ids, BATCH_PAGES)) {
    await sql`INSERT INTO recheck_checks (recheck_id, web_page_id, kind)
      SELECT ${id}::uuid, web_page_id, kind FROM checks WHERE web_page_id = ANY(${slice})`.execute(trx);
  }
  await sql`INSERT INTO recheck_counts (recheck_id, kind)
    SELECT ${id}::uuid, kind FROM report_checks WHERE report_id = ${reportId}`.execute(trx);
  await sql`
    DELETE FROM rechecks WHERE id IN (
      SELECT id FROM rechecks WHERE report_id = ${reportId}
      ORDER BY ${isUnfinished} DESC, inserted_at DESC, id OFFSET ${KEPT_RECHECKS_MAX})`.execute(trx);
  return id;
}

/** A re-check that waits for a check. */
export interface WaitingRecheck {
  readonly id: string;
  /**
   * The fingerprint of its common issue, in hexadecimal; null if the issue belongs to another kind of check, or if there is none.
   */
  readonly fingerprint: string | null;
}

/** Selects the re-checks that wait for a row of `checks`. */
export const waitingRechecks: RawBuilder<WaitingRecheck[]> = sql`(
  SELECT coalesce(json_agg(json_build_object('id', r.id,
    'fingerprint', CASE WHEN r.kind = w.kind THEN encode(r.fingerprint, 'hex') END)), '[]')
  FROM recheck_checks w JOIN rechecks r ON r.id = w.recheck_id
  WHERE w.web_page_id = checks.web_page_id AND w.kind = checks.kind)`;

interface EndedRecheck extends WaitingRecheck {
  readonly webPageId: number;
  readonly isFailed: boolean;
  /** Undefined if the result was not compared. */
  readonly found?: RecheckDiff | undefined;
}

/** Adds checks of one kind that have ended to the counts of the re-checks that waited for them. */
export async function endRechecks(
  { trx }: ReportTransaction,
  kind: CheckKind,
  ended: readonly EndedRecheck[],
): Promise<void> {
  if (ended.length === 0) return;
  const rows = ended.map(({ id, fingerprint, webPageId, isFailed, found }) => {
    const { fixed, still, new: added } = found?.result ?? NO_OCCURRENCES;
    const ofIssue = (fingerprint !== null && found?.byKind.get(fingerprint)) || NO_OCCURRENCES;
    return {
      ...{ id, page: webPageId, failed: Number(isFailed), checked: Number(!isFailed) },
      ...{ uncompared: Number(!isFailed && found === undefined), fixed, still, new: added },
      ...{ issue_fixed: ofIssue.fixed, issue_still: ofIssue.still, issue_new: ofIssue.new },
    };
  });
  const added = sql.join(COUNTS.map((name) => sql`${sql.ref(name)} = c.${sql.ref(name)} + s.${sql.ref(name)}`));
  await sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS u(id uuid, page bigint, ${sql.join(COUNTS.map((name) => sql`${sql.ref(name)} integer`))})
    ), gone AS (
      DELETE FROM recheck_checks w USING given g
      WHERE w.recheck_id = g.id AND w.web_page_id = g.page AND w.kind = ${kind}
    )
    UPDATE recheck_counts c SET ended_at = now(), ${added}
    FROM (SELECT id, ${sql.join(COUNTS.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`))} FROM given GROUP BY id) s
    WHERE c.recheck_id = s.id AND c.kind = ${kind}`.execute(trx);
}

const RESULTS = ['fixed', 'still', 'new'] as const;
const COUNTS = ['checked', 'failed', 'uncompared', ...RESULTS, 'issue_fixed', 'issue_still', 'issue_new'] as const;

/** Adds a check whose result could not be saved to the counts of the re-checks that waited for it. */
export async function failRechecks(change: ReportTransaction, kind: CheckKind, webPageId: number): Promise<void> {
  const of = change.trx.selectFrom('checks').where('web_page_id', '=', webPageId).where('kind', '=', kind);
  const { rechecks } = await of.select(waitingRechecks.as('rechecks')).executeTakeFirstOrThrow();
  const ended = rechecks.map((recheck) => ({ ...recheck, webPageId, isFailed: true }));
  await endRechecks(change, kind, ended);
}

/** A re-check with the results of its pages. */
export interface ListedRecheck
  extends Pick<RecheckTable, 'kind' | 'common_issue_id' | 'message' | 'num_web_pages' | 'credits'> {
  readonly id: string;
  readonly inserted_at: Date;
  /** Checks by status. */
  readonly pending: number;
  readonly checked: number;
  readonly failed: number;
  /** Checks that ran and could not be compared. */
  readonly uncompared: number;
  readonly occurrences: RecheckCounts;
  /** Of the common issue. */
  readonly occurrencesOfIssue: RecheckCounts;
  /** When its last check ended; null before. */
  readonly finishedAt: Date | null;
}

/** Returns a page of the re-checks of a report, newest first. @param kinds the kinds of check that count */
export async function listRechecks(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
  page: PageRequest,
): Promise<ListPage<ListedRecheck>> {
  const list = db.selectFrom('rechecks').where('report_id', '=', reportId);
  const select = (rows: typeof list) => rows.select('id').orderBy('inserted_at', 'desc').orderBy('id');
  const { total, rows } = await listPage(list, page, select);
  const found = await readRechecks(
    db,
    rows.map(({ id }) => id),
    kinds,
  );
  return { total, rows: rows.flatMap(({ id }) => found.find((recheck) => recheck.id === id) ?? []) };
}

/** Returns a re-check of a report. @param kinds the kinds of check that count */
export async function findRecheck(
  db: Executor,
  reportId: string,
  id: string,
  kinds: readonly CheckKind[],
): Promise<ListedRecheck | undefined> {
  const of = db.selectFrom('rechecks').select('id').where('id', '=', id).where('report_id', '=', reportId);
  const row = await of.executeTakeFirst();
  return row && (await readRechecks(db, [row.id], kinds))[0];
}

async function readRechecks(
  db: Executor,
  ids: readonly string[],
  kinds: readonly CheckKind[],
): Promise<readonly ListedRecheck[]> {
  const sums = (prefix: '' | 'issue_') =>
    sql`json_build_object(${sql.join(RESULTS.map((name) => sql`${sql.lit(name)}, coalesce(sum(${sql.ref(`${prefix}${name}`)}), 0)`))})`;
  const { rows } = await sql<ListedRecheck>`
    SELECT r.id, r.kind, r.common_issue_id, r.message, r.num_web_pages, r.credits, r.inserted_at, w.pending,
      ended.checked, ended.failed, ended.uncompared, ended.occurrences, ended."occurrencesOfIssue",
      CASE WHEN w.pending = 0 THEN ended.at END AS "finishedAt"
    FROM rechecks r CROSS JOIN LATERAL (
      SELECT count(*) AS pending FROM recheck_checks WHERE recheck_id = r.id AND kind = ANY(${[...kinds]})
    ) w CROSS JOIN LATERAL (
      SELECT coalesce(sum(checked), 0)::bigint AS checked, coalesce(sum(failed), 0)::bigint AS failed,
        coalesce(sum(uncompared), 0)::bigint AS uncompared, ${sums('')} AS occurrences,
        ${sums('issue_')} AS "occurrencesOfIssue", max(ended_at) AS at
      FROM recheck_counts WHERE recheck_id = r.id AND kind = ANY(${[...kinds]})
    ) ended WHERE r.id = ANY(${[...ids]}::uuid[])`.execute(db);
  return rows;
}
