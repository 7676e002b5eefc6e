import { type RawBuilder, sql } from 'kysely';
import { countsBy } from '../../../packages/client/standards.ts';
import type { CheckKind, FoundIssue } from '../../domain/check.ts';
import { ISSUE_SUMS, type IssueSums } from '../../domain/counts.ts';
import { hasSevere, issueSums } from '../issues/issue-sums.ts';
import type { PackedIssue } from '../issues/packed-issues.ts';
import { folded } from '../listing.ts';
import { countPages } from '../pages/page-counts.ts';
import { countPagesAtEnd, markEndChanged } from '../reports/keep-results.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import { storable } from '../storable.ts';
import { appliesTo, comparable, hasRetroactive } from './mutings.ts';

/** The part of an issue that mutings match. */
export interface MutableIssue extends Pick<FoundIssue, 'message' | 'ruleId' | 'tags'>, Pick<PackedIssue, 'decision'> {
  /** The selectors of mutings that match its occurrences; absent for none. */
  readonly selectors?: readonly string[];
}

/** Why an issue on a page does not count. */
export interface Silence {
  /** The mutings that mute it, in the order of their ids. */
  readonly mutings: readonly number[];
  /** Whether its rule does not belong to the report's standard. */
  readonly isOutside: boolean;
}

/** Returns why an issue on a page does not count; null if it counts. */
export type SilencedBy = (webPageId: number, issue: MutableIssue) => Silence | null;

/**
 * Finds out which issues that are about to be saved do not count. A muting that is created or deleted in the meantime is applied
 * to the report after this change.
 */
export async function matchSilences(
  change: ReportTransaction,
  found: readonly { readonly webPageId: number; readonly issue: MutableIssue }[],
): Promise<SilencedBy> {
  const mutingsOf = await matchMutings(change, found);
  return (webPageId, issue) => {
    const isOutside = !countsBy(change.measure, issue.tags);
    const mutings = mutingsOf(webPageId, issue);
    const counts = !isOutside && issue.decision?.verdict !== 'not_an_error' && mutings.length === 0;
    return counts ? null : { mutings, isOutside };
  };
}

async function matchMutings(
  { trx, reportId }: ReportTransaction,
  found: readonly { readonly webPageId: number; readonly issue: MutableIssue }[],
): Promise<(webPageId: number, issue: MutableIssue) => readonly number[]> {
  // Most accounts have no mutings, so this comes first.
  const any = await trx.selectFrom('mutings').select('id').where(appliesTo(reportId)).limit(1).execute();
  if (found.length === 0 || any.length === 0) return () => [];
  const issues = new Map(found.map(({ issue }) => [keyOf(issue), issue]));
  const numbers = new Map([...issues.keys()].map((key, index) => [key, index + 1]));
  const texts = [...issues.values()];
  const { rows } = await sql<{ page: number; text: number; mutings: number[] }>`
    WITH ${mutingsMatching(reportId, {
      pages: sql`SELECT id, folded_url FROM web_pages WHERE id = ANY(${[...new Set(found.map(({ webPageId }) => webPageId))]})`,
      texts: sql`SELECT id, text, rule, selectors::jsonb FROM unnest(${texts.map(({ message }) => storable(message))}::text[],
        ${texts.map(({ ruleId }) => ruleId && storable(ruleId))}::text[],
        ${texts.map(({ selectors = [] }) => JSON.stringify(selectors))}::text[])
        WITH ORDINALITY AS given (text, rule, selectors, id)`,
    })}
    SELECT f.page, f.text, to_json(ARRAY(${IN_BOTH} ORDER BY 1)) AS mutings
    FROM unnest(${found.map(({ webPageId }) => webPageId)}::bigint[],
      ${found.map(({ issue }) => numbers.get(keyOf(issue)))}::bigint[]) AS f (page, text)
    JOIN page_mutings p ON p.id = f.page JOIN text_mutings t ON t.id = f.text
    WHERE p.mutings && t.mutings`.execute(trx);
  const silenced = new Map(rows.map(({ page, text, mutings }) => [`${page} ${text}`, mutings]));
  return (webPageId, issue) => silenced.get(`${webPageId} ${numbers.get(keyOf(issue))}`) ?? [];
}

function keyOf({ message, ruleId, selectors = [] }: MutableIssue): string {
  return JSON.stringify([message, ruleId, selectors]);
}

/**
 * Adds saved issues to the counts of the mutings that mute them.
 * @param silenced the number of muted occurrences, by muting
 */
export async function countSilenced(
  { trx, reportId }: ReportTransaction,
  silenced: ReadonlyMap<number, number>,
): Promise<void> {
  if (silenced.size === 0) return;
  await sql`INSERT INTO report_mutings AS r (report_id, muting_id, how_many)
    SELECT ${reportId}, * FROM unnest(${[...silenced.keys()]}::bigint[], ${[...silenced.values()]}::bigint[])
    ${ADDED}`.execute(trx);
}

const ADDED = sql`ON CONFLICT (report_id, muting_id) DO UPDATE SET how_many = r.how_many + excluded.how_many`;

/** The mutings that match both a page and a text. */
const IN_BOTH = sql`SELECT unnest(p.mutings) INTERSECT SELECT unnest(t.mutings)`;

/**
 * Matches the mutings again with the issues of pages, and updates all counts that change. The results of mutings with selectors
 * stay unchanged: their matches are only known when a check is saved.
 */
export async function updateMutedIssues(change: ReportTransaction, webPageIds: readonly number[]): Promise<void> {
  const { trx, reportId } = change;
  change.uncountPages(await countPages(trx, webPageIds));
  const changesPast = await hasRetroactive(trx, reportId);
  if (changesPast) await countPagesAtEnd(change, webPageIds, -1);
  const { rows } = await sql<IssueSums & { kind: CheckKind; appeared: number; severe_appeared: number }>`
    WITH found AS MATERIALIZED (
      SELECT i.id, i.web_page_id, i.common_issue_id, i.muted, i.mutings, i.muted_at_end, i.muted_retroactively, c.uncounted
      FROM issues i JOIN common_issues c ON c.id = i.common_issue_id WHERE i.web_page_id = ANY(${webPageIds})
    ), ${mutingsMatching(reportId, {
      pages: sql`SELECT id, folded_url FROM web_pages WHERE id = ANY(${webPageIds})`,
      texts: sql`SELECT id, message AS text, rule_id AS rule, NULL::jsonb AS selectors FROM common_issues
        WHERE id IN (SELECT common_issue_id FROM found)`,
    })}, matching AS MATERIALIZED (
      SELECT f.*, nullif(ARRAY(${IN_BOTH} UNION
        SELECT mutings.id FROM mutings WHERE mutings.id = ANY(f.mutings) AND selector IS NOT NULL AND ${appliesTo(reportId)} ORDER BY 1), '{}') AS mutings_now
      FROM found f JOIN page_mutings p ON p.id = f.web_page_id JOIN text_mutings t ON t.id = f.common_issue_id
      WHERE f.mutings IS NOT NULL OR p.mutings && t.mutings
    ), matched AS MATERIALIZED (
      SELECT *, CASE WHEN ${changesPast} THEN ${IS_RETROACTIVE(true)} ELSE muted_retroactively END AS retroactively_now,
        ${IS_RETROACTIVE(false)} AS otherwise_now
      FROM matching
    ), changed AS (
      UPDATE issues i SET muted = j.mutings_now IS NOT NULL OR j.uncounted, mutings = j.mutings_now,
        -- Null while the issue is muted as at the report's end, and no retroactive muting mutes it.
        muted_at_end = CASE WHEN j.retroactively_now OR at_end.muted <> (j.mutings_now IS NOT NULL) THEN at_end.muted END,
        muted_retroactively = j.retroactively_now
      FROM matched j JOIN reports r ON r.id = ${reportId} CROSS JOIN LATERAL (
        SELECT CASE WHEN r.first_finished_at IS NULL THEN j.otherwise_now ELSE coalesce(j.muted_at_end, j.mutings IS NOT NULL) END AS muted) AS at_end
      WHERE i.id = j.id AND (j.mutings IS DISTINCT FROM j.mutings_now OR j.muted_retroactively <> j.retroactively_now)
      RETURNING i.id, i.muted, i.common_issue_id, i.web_page_id, i.kind, i.how_many, j.mutings AS mutings_before, j.mutings_now,
        j.muted::integer - i.muted::integer AS sign, j.muted_retroactively <> j.retroactively_now AS is_past,
        (j.mutings IS NULL) <> (j.mutings_now IS NULL) AS is_other_now
    ), counted AS (
      INSERT INTO report_mutings AS r (report_id, muting_id, how_many)
      SELECT ${reportId}::uuid, muting, sum(change) FROM (
        SELECT unnest(mutings_now) AS muting, how_many AS change FROM changed
        UNION ALL SELECT unnest(mutings_before), -how_many FROM changed
      ) changes GROUP BY muting HAVING sum(change) <> 0
      ${ADDED}
    ), page_changes AS (
      -- A selector can mute some issues of a kind on a page, and leave others.
      SELECT f.common_issue_id, coalesce(sum(c.sign * c.how_many), 0) AS how_many,
        bool_or(NOT coalesce(c.muted, f.muted))::integer - bool_or(NOT f.muted)::integer AS shown,
        bool_or(coalesce(c.muted, f.muted))::integer - bool_or(f.muted)::integer AS muted
      FROM found f LEFT JOIN changed c ON c.id = f.id GROUP BY f.common_issue_id, f.web_page_id
    ), common_changes AS (
      UPDATE common_issues c SET updated_at = now(),
        how_many = c.how_many + s.how_many, num_web_pages = c.num_web_pages + s.shown,
        muted_how_many = c.muted_how_many - s.how_many, muted_num_web_pages = c.muted_num_web_pages + s.muted
      FROM (
        SELECT common_issue_id, sum(how_many) AS how_many, sum(shown) AS shown, sum(muted) AS muted
        FROM page_changes GROUP BY common_issue_id HAVING sum(how_many) <> 0 OR sum(shown) <> 0 OR sum(muted) <> 0
      ) s WHERE c.id = s.common_issue_id
    ), since_end AS (
      UPDATE reports SET changed_since_end = changed_since_end OR first_finished_at IS NOT NULL,
        end_results_at = CASE WHEN EXISTS (SELECT FROM changed WHERE is_past) THEN now() ELSE end_results_at END
      WHERE id = ${reportId} AND EXISTS (SELECT FROM changed WHERE is_other_now OR is_past)
    )
    ${ADD_TO_CHECKS}`.execute(trx);
  for (const { appeared, severe_appeared: severe, ...row } of rows)
    change.count(row.kind, { ...row, with_errors: appeared, with_severe: severe });
  change.countPages(await countPages(trx, webPageIds));
  if (!changesPast) return;
  if (await muteReplacedIssues(change, webPageIds)) await markEndChanged(change);
  await countPagesAtEnd(change, webPageIds, 1);
}

/** Builds the condition that one of `mutings_now` is retroactive, or that one of them is not. */
const IS_RETROACTIVE = (isRetroactive: boolean) => sql`EXISTS (
  SELECT FROM mutings m WHERE m.id = ANY(mutings_now) AND m.retroactive = ${sql.lit(isRetroactive)})`;

/**
 * Matches the retroactive mutings again with the issues that re-checks of pages have replaced.
 * @returns whether any of these issues is now muted, or no longer is
 */
async function muteReplacedIssues(
  { trx, reportId }: ReportTransaction,
  webPageIds: readonly number[],
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    WITH texts AS MATERIALIZED (
      SELECT row_number() OVER () AS id, message, rule_id FROM (
        SELECT DISTINCT message, rule_id FROM issues_before_recheck WHERE web_page_id = ANY(${webPageIds})) known
    ), ${mutingsMatching(
      reportId,
      {
        pages: sql`SELECT id, folded_url FROM web_pages WHERE id = ANY(${webPageIds})`,
        texts: sql`SELECT id, message AS text, rule_id AS rule, NULL::jsonb AS selectors FROM texts`,
      },
      sql`retroactive`,
    )}
    UPDATE issues_before_recheck b SET muted_retroactively = p.mutings && m.mutings
    FROM texts t JOIN text_mutings m ON m.id = t.id, page_mutings p
    WHERE b.web_page_id = ANY(${webPageIds}) AND p.id = b.web_page_id AND t.message = b.message
      AND t.rule_id IS NOT DISTINCT FROM b.rule_id AND b.muted_retroactively <> (p.mutings && m.mutings)`.execute(trx);
  return numAffectedRows > 0n;
}

/**
 * Adds the changes from `changed` to the sums of the checks, and returns them, with whether errors, and critical or serious
 * errors, appeared (1) or disappeared (-1).
 */
const ADD_TO_CHECKS = sql`
  UPDATE checks c SET ${sql.join(ISSUE_SUMS.map((name) => sql`${sql.ref(name)} = c.${sql.ref(name)} + s.${sql.ref(name)}`))}
  FROM (
    SELECT x.web_page_id, x.kind, ${issueSums(sql`x.sign * x.how_many`)}
    FROM changed x JOIN common_issues c ON c.id = x.common_issue_id WHERE x.sign <> 0 GROUP BY x.web_page_id, x.kind
  ) s WHERE c.web_page_id = s.web_page_id AND c.kind = s.kind
  RETURNING s.*, (new.state = 'with_errors')::integer - (old.state = 'with_errors')::integer AS appeared,
    ${hasSevere('new')}::integer - ${hasSevere('old')}::integer AS severe_appeared`;

/**
 * Builds common table expressions for the mutings that apply to the report: `page_mutings` match a page's URL, `text_mutings` a
 * text or its rule, and its selectors. An issue is muted if a muting is in both. Each text is folded once instead of once per
 * pair.
 * @param isWanted a condition on the mutings
 */
function mutingsMatching(
  reportId: string,
  of: { readonly pages: RawBuilder<unknown>; readonly texts: RawBuilder<unknown> },
  isWanted = sql<boolean>`true`,
): RawBuilder<unknown> {
  return sql`
    acting AS MATERIALIZED (
      SELECT id, ${folded(sql.ref('url_match'))} AS url, ${comparable(sql.ref('message'))} AS message, by_rule, selector
      FROM mutings WHERE ${appliesTo(reportId)} AND ${isWanted}
    ), comparable_texts AS MATERIALIZED (
      SELECT id, ${comparable(sql.ref('text'))} AS text, ${folded(sql.ref('rule'))} AS rule, selectors
      FROM (${of.texts}) texts
    ), page_mutings AS MATERIALIZED (
      SELECT p.id, ARRAY(SELECT a.id FROM acting a WHERE strpos(p.folded_url, a.url) > 0) AS mutings
      FROM (${of.pages}) p
    ), text_mutings AS MATERIALIZED (
      SELECT t.id, ARRAY(
        SELECT a.id FROM acting a
        WHERE (t.rule = a.message OR NOT a.by_rule AND strpos(t.text, a.message) > 0)
          AND (a.selector IS NULL OR jsonb_exists(t.selectors, a.selector))) AS mutings
      FROM comparable_texts t
    )`;
}
