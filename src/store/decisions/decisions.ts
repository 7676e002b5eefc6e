import { sql, type Transaction } from 'kysely';
import { COLOR_RULES } from '../../domain/color-rules.ts';
import type { Verdict } from '../../domain/decision.ts';
import type { Executor } from '../database.ts';
import { FOUND_FINGERPRINT } from '../issues/write-issues.ts';
import { countRows, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { Schema } from '../schema.ts';
import { FROM_THE_START, isLeft, lastPageOf, type NextPages } from '../walks.ts';
import type { Decision } from './decision-tables.ts';

const COLUMNS = [
  'id',
  'site_id',
  'scope',
  'kind',
  'type_fingerprint',
  'page_url',
  'verdict',
  'note',
  'assessor',
  'message',
  'rule_id',
  'impact',
  'markup',
  'decided_at',
  'since_report',
] as const;

/** A decision as the API shows it. */
export interface DecisionRow extends Pick<Decision, (typeof COLUMNS)[number]> {
  /** The owner of the site. */
  readonly account_id: string;
  /** Occurrences in the newest report of the site, to which it has been applied so far. */
  readonly how_many: number;
}

export type NewDecision = Pick<
  Decision,
  Exclude<(typeof COLUMNS)[number], 'id' | 'decided_at'> | 'cluster' | 'fingerprint'
>;

const COMPUTED = [
  sql<string>`(SELECT account_id FROM sites s WHERE s.id = decisions.site_id)`.as('account_id'),
  sql<number>`(SELECT coalesce(sum(i.how_many), 0)::bigint FROM issues i WHERE i.decision_id = decisions.id AND i.report_id = (
    SELECT r.id FROM reports r
    WHERE r.site_id = decisions.site_id AND r.deleted_at IS NULL AND r.first_finished_at IS NOT NULL ORDER BY r.id DESC LIMIT 1))`.as(
    'how_many',
  ),
] as const;

/** Inserts a decision that has yet to be applied to existing reports. @returns its id */
export async function insertDecision(db: Executor, decision: NewDecision): Promise<number> {
  const { id } = await db.insertInto('decisions').values(decision).returning('id').executeTakeFirstOrThrow();
  return id;
}

/**
 * Replaces an earlier decision about the same subject. The new one has yet to be applied to existing reports.
 * @returns its id; undefined if there is no earlier one
 */
export async function replaceDecision(db: Executor, decision: NewDecision): Promise<number | undefined> {
  const { verdict, note, assessor, since_report: since } = decision;
  const { rows } = await sql<{ id: number }>`
    UPDATE decisions SET verdict = ${verdict}, note = ${note ?? ''}, assessor = ${assessor}, decided_at = now(),
      since_report = least(since_report, ${since}), ${FROM_THE_START}
    WHERE site_id = ${decision.site_id} AND kind = ${decision.kind} AND type_fingerprint = ${decision.type_fingerprint}
      AND scope = ${decision.scope} AND cluster IS NOT DISTINCT FROM ${decision.cluster}
      AND fingerprint IS NOT DISTINCT FROM ${decision.fingerprint}
      AND page_url IS NOT DISTINCT FROM ${decision.page_url} AND deleted_at IS NULL RETURNING id`.execute(db);
  return rows[0]?.id;
}

/** What changes; absent values stay unchanged. */
export interface DecisionUpdate {
  readonly verdict?: Verdict | undefined;
  readonly note?: string | undefined;
  readonly assessor: string;
}

/** Changes a decision. With a new verdict, the decision has yet to be applied again. */
export async function updateDecision(db: Executor, id: number, to: DecisionUpdate): Promise<void> {
  const { verdict, note, assessor } = to;
  const changes = [
    sql`assessor = ${assessor}, decided_at = now()`,
    ...(note === undefined ? [] : [sql`note = ${note}`]),
    ...(verdict === undefined ? [] : [sql`verdict = ${verdict}, ${FROM_THE_START}`]),
  ];
  await sql`UPDATE decisions SET ${sql.join(changes)} WHERE id = ${id}`.execute(db);
}

/**
 * Hides a decision, and records that in the history of the site: it marks the next run. Once its issues in existing reports have
 * been restored to what the checks found, its row is deleted.
 */
export async function markDecisionDeleted(db: Executor, id: number): Promise<void> {
  await sql`
    WITH undone AS (
      UPDATE decisions SET deleted_at = now(), ${FROM_THE_START} WHERE id = ${id} AND deleted_at IS NULL
      RETURNING site_id, decided_at
    )
    INSERT INTO undone_decisions (site_id, decided_at) SELECT site_id, decided_at FROM undone`.execute(db);
}

/** Locks a site until the transaction ends, so that decisions about it are made one at a time. */
export async function lockDecisions(trx: Transaction<Schema>, siteId: string): Promise<void> {
  await trx.selectFrom('sites').select('id').where('id', '=', siteId).forNoKeyUpdate().execute();
}

export async function countDecisions(db: Executor, siteId: string): Promise<number> {
  return countRows(decisionsOf(db, siteId));
}

export async function findDecision(db: Executor, id: number): Promise<DecisionRow | undefined> {
  const decision = db.selectFrom('decisions').select(COLUMNS).select(COMPUTED);
  return decision.where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();
}

/** Returns a page of the decisions about a site, newest first. */
export async function listDecisions(db: Executor, siteId: string, page: PageRequest): Promise<ListPage<DecisionRow>> {
  return listPage(decisionsOf(db, siteId), page, (rows) =>
    rows.select(COLUMNS).select(COMPUTED).orderBy('decided_at', 'desc').orderBy('id', 'desc'),
  );
}

function decisionsOf(db: Executor, siteId: string) {
  return db.selectFrom('decisions').where('site_id', '=', siteId).where('deleted_at', 'is', null);
}

/** The issue type of an issue, as decisions name it. */
export type DecisionTarget = Pick<Decision, 'kind' | 'type_fingerprint' | 'message' | 'rule_id' | 'impact'> & {
  /** Occurrences of the issue on its page. */
  readonly how_many: number;
};

/**
 * Returns the occurrence of a report that has an id, or had it before decisions split its issue or merged it again.
 * @param named the id of its issue, and its position in it
 */
export async function currentOccurrence(
  db: Executor,
  reportId: string,
  named: OccurrenceName,
): Promise<OccurrenceName | undefined> {
  const { rows } = await sql<OccurrenceName>`
    WITH named AS (
      SELECT web_page_id, kind, position, found_positions FROM issues WHERE id = ${named.issue}
      UNION ALL SELECT web_page_id, kind, position, found_positions FROM replaced_issues WHERE issue_id = ${named.issue}
    ), wanted AS (
      SELECT web_page_id, kind, position, CASE WHEN found_positions IS NULL THEN ${named.position}::integer
        ELSE found_positions[${named.position}::integer + 1] END AS found
      FROM named
    )
    SELECT i.id AS issue, coalesce(array_position(i.found_positions, w.found) - 1, w.found) AS position
    FROM wanted w JOIN web_pages p ON p.id = w.web_page_id AND p.report_id = ${reportId}
      JOIN issues i ON i.web_page_id = w.web_page_id AND i.kind = w.kind AND i.position = w.position
    WHERE i.found_positions IS NULL OR w.found = ANY(i.found_positions)`.execute(db);
  return rows[0];
}

interface OccurrenceName {
  readonly issue: number;
  readonly position: number;
}

/** Finds the issue type that a decision about an issue of a report is about. */
export async function findTarget(db: Executor, reportId: string, issueId: number): Promise<DecisionTarget | undefined> {
  return db
    .selectFrom('issues as i')
    .innerJoin('common_issues as k', 'k.id', 'i.common_issue_id')
    .select(['i.kind', FOUND_FINGERPRINT.as('type_fingerprint'), 'k.message', 'k.rule_id', 'k.impact', 'i.how_many'])
    .where('i.id', '=', issueId)
    .where('k.report_id', '=', reportId)
    .executeTakeFirst();
}

/** Returns the next report to apply a decision to; undefined after the last. */
export async function nextReportOf(trx: Transaction<Schema>, decision: Decision): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM reports
    WHERE site_id = ${decision.site_id} AND id >= ${decision.since_report} AND deleted_at IS NULL AND ${isLeft(decision)}
    ORDER BY id DESC LIMIT 1`.execute(trx);
  return rows[0]?.id;
}

/** Occurrences of the issue type in one batch, unless a single page has more: splitting them takes a tenth of a second. */
const BATCH_OCCURRENCES = 20_000;

/** Returns the next pages of the report that a decision may change, at most `max`, in the order of their ids. */
export async function nextPagesOf(
  trx: Transaction<Schema>,
  decision: Decision,
  reportId: string,
  max: number,
): Promise<NextPages> {
  const { kind, type_fingerprint: type, rule_id: rule, page_url: pageUrl } = decision;
  // A decision about a pair of colors applies to clusters of several style rules.
  const cluster = COLOR_RULES.includes(rule ?? '') ? null : decision.cluster;
  const isOnPage = sql`EXISTS (SELECT FROM web_pages p WHERE p.id = i.web_page_id AND p.url = ${pageUrl})`;
  const { rows } = await sql<{ id: number; before: number }>`
    SELECT i.web_page_id AS id, coalesce(sum(sum(i.how_many)) OVER (
      ORDER BY i.web_page_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS before
    FROM common_issues k JOIN issues i ON i.common_issue_id = k.id
    WHERE k.report_id = ${reportId} AND k.kind = ${kind} AND ${FOUND_FINGERPRINT} = ${type}
      AND i.web_page_id > ${lastPageOf(decision, reportId)}
      AND ${cluster === null ? sql`true` : sql`position(${cluster}::bytea IN i.clusters) > 0`}
      AND ${pageUrl === null ? sql`true` : isOnPage}
    GROUP BY i.web_page_id ORDER BY id LIMIT ${max}`.execute(trx);
  const batch = rows.filter(({ before }) => before < BATCH_OCCURRENCES);
  return { ids: batch.map(({ id }) => id), isLast: batch.length === rows.length && rows.length < max };
}

/**
 * Moves the decisions about a site to another one. Decisions that the other site has about the same subjects stay. All decisions
 * have to be applied again.
 */
export async function moveDecisions(trx: Transaction<Schema>, siteId: string, into: string): Promise<void> {
  await sql`
    DELETE FROM decisions d USING decisions there
    WHERE d.site_id = ${siteId} AND there.site_id = ${into} AND there.deleted_at IS NULL AND there.scope = d.scope
      AND (there.kind, there.type_fingerprint) = (d.kind, d.type_fingerprint)
      AND (there.cluster, there.fingerprint, there.page_url) IS NOT DISTINCT FROM (d.cluster, d.fingerprint, d.page_url)`.execute(
    trx,
  );
  await sql`UPDATE undone_decisions SET site_id = ${into} WHERE site_id = ${siteId}`.execute(trx);
  await sql`UPDATE decisions SET site_id = ${into}, ${FROM_THE_START} WHERE site_id IN (${siteId}, ${into})`.execute(
    trx,
  );
}
