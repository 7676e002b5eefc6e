import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import { addCheckCounts, addSums, type IssueSums, NO_ISSUES } from './issue-counts.ts';
import { folded } from './listing.ts';
import { actsOn } from './mutings.ts';
import type { Schema } from './schema.ts';
import { storable } from './storable.ts';

/** The mutings that silence issues with a message on a page. */
export type SilencedBy = (webPageId: number, message: string) => readonly number[];

/** A muting with an issue that it silences: all issues of one kind on one page are muted alike. */
interface NotedMuting {
  readonly mutingId: number;
  readonly webPageId: number;
  readonly commonIssueId: number | undefined;
}

/**
 * Judges issues that are about to be saved. To be called under the report's lock: a muting that is made or deleted later
 * is seen by its walk over the report, which waits for the lock.
 */
export async function judgeFound(
  trx: Transaction<Schema>,
  reportId: string,
  found: readonly { readonly webPageId: number; readonly message: string }[],
): Promise<SilencedBy> {
  // Most accounts have no muting: this is all it costs them.
  const any = await trx.selectFrom('mutings').select('id').where(actsOn(reportId)).limit(1).execute();
  if (found.length === 0 || any.length === 0) return () => [];
  const messages = [...new Set(found.map(({ message }) => message))];
  const places = new Map(messages.map((message, index) => [message, index + 1]));
  const { rows } = await sql<{ page: number; text: number; mutings: number[] }>`
    WITH ${mutingsMatching(reportId, {
      pages: sql`SELECT id, folded_url FROM web_pages WHERE id = ANY(${[...new Set(found.map(({ webPageId }) => webPageId))]})`,
      texts: sql`SELECT id, text FROM unnest(${messages.map(storable)}::text[]) WITH ORDINALITY AS given (text, id)`,
    })}
    SELECT f.page, f.text, to_json(${inBoth}) AS mutings
    FROM unnest(${found.map(({ webPageId }) => webPageId)}::bigint[],
      ${found.map(({ message }) => places.get(message))}::bigint[]) AS f (page, text)
    JOIN page_mutings p ON p.id = f.page JOIN text_mutings t ON t.id = f.text
    WHERE p.mutings && t.mutings`.execute(trx);
  const silenced = new Map(rows.map(({ page, text, mutings }) => [`${page} ${text}`, mutings]));
  return (webPageId, message) => silenced.get(`${webPageId} ${places.get(message)}`) ?? [];
}

/** Notes an issue of the report for each muting that silences one. */
export async function noteMutings(
  trx: Transaction<Schema>,
  reportId: string,
  noted: readonly NotedMuting[],
): Promise<void> {
  if (noted.length === 0) return;
  await sql`INSERT INTO report_mutings AS r (report_id, muting_id, web_page_id, common_issue_id)
    SELECT ${reportId}, * FROM unnest(${noted.map(({ mutingId }) => mutingId)}::bigint[],
      ${noted.map(({ webPageId }) => webPageId)}::bigint[], ${noted.map(({ commonIssueId }) => commonIssueId)}::bigint[])
    ${LATEST}`.execute(trx);
}

const LATEST = sql`ON CONFLICT (report_id, muting_id) DO UPDATE
  SET web_page_id = excluded.web_page_id, common_issue_id = excluded.common_issue_id`;

/** The mutings that match both a page and a text. */
const inBoth = sql`ARRAY(SELECT unnest(p.mutings) INTERSECT SELECT unnest(t.mutings))`;

/** Judges again the issues that pages have, and moves every count by what has changed. Under the report's lock. */
export async function judgePages(
  trx: Transaction<Schema>,
  reportId: string,
  webPageIds: readonly number[],
): Promise<void> {
  const { rows } = await sql<IssueSums & { kind: CheckKind }>`
    WITH found AS MATERIALIZED (
      SELECT id, web_page_id, common_issue_id, muted FROM issues WHERE web_page_id = ANY(${webPageIds})
    ), ${mutingsMatching(reportId, {
      pages: sql`SELECT id, folded_url FROM web_pages WHERE id = ANY(${webPageIds})`,
      texts: sql`SELECT id, message AS text FROM common_issues WHERE id IN (SELECT common_issue_id FROM found)`,
    })}, noted AS (
      INSERT INTO report_mutings AS r (report_id, muting_id, web_page_id, common_issue_id)
      SELECT DISTINCT ON (muting) ${reportId}::uuid, muting, f.web_page_id, f.common_issue_id
      FROM found f JOIN page_mutings p ON p.id = f.web_page_id JOIN text_mutings t ON t.id = f.common_issue_id,
        unnest(${inBoth}) AS muting
      ${LATEST}
    ), changed AS (
      UPDATE issues i SET muted = NOT f.muted
      FROM found f JOIN page_mutings p ON p.id = f.web_page_id JOIN text_mutings t ON t.id = f.common_issue_id
      WHERE i.id = f.id AND f.muted <> (p.mutings && t.mutings)
      RETURNING i.common_issue_id, i.web_page_id, i.kind, CASE WHEN i.muted THEN -1 ELSE 1 END AS sign, i.how_many
    ), common_changes AS (
      UPDATE common_issues c SET updated_at = now(),
        how_many = c.how_many + s.how_many, num_web_pages = c.num_web_pages + s.num_web_pages,
        muted_how_many = c.muted_how_many - s.how_many, muted_num_web_pages = c.muted_num_web_pages - s.num_web_pages
      FROM (
        -- All issues of one kind on one page are muted alike, so each page moves as a whole.
        SELECT common_issue_id, sum(sign * how_many) AS how_many,
          count(DISTINCT web_page_id) FILTER (WHERE sign > 0) - count(DISTINCT web_page_id) FILTER (WHERE sign < 0)
            AS num_web_pages
        FROM changed GROUP BY common_issue_id
      ) s WHERE c.id = s.common_issue_id
    )
    UPDATE checks c SET errors = c.errors + s.errors, warnings = c.warnings + s.warnings, minor = c.minor + s.minor,
      moderate = c.moderate + s.moderate, serious = c.serious + s.serious, critical = c.critical + s.critical
    FROM (
      SELECT x.web_page_id, x.kind,
        ${sumOf(sql`c.issue_type = 'error'`)} AS errors, ${sumOf(sql`c.issue_type = 'warning'`)} AS warnings,
        ${sumOf(sql`c.impact = 'minor'`)} AS minor, ${sumOf(sql`c.impact = 'moderate'`)} AS moderate,
        ${sumOf(sql`c.impact = 'serious'`)} AS serious, ${sumOf(sql`c.impact = 'critical'`)} AS critical
      FROM changed x JOIN common_issues c ON c.id = x.common_issue_id GROUP BY x.web_page_id, x.kind
    ) s WHERE c.web_page_id = s.web_page_id AND c.kind = s.kind
    RETURNING s.*`.execute(trx);
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const sums = rows.filter((row) => row.kind === kind).reduce<IssueSums>(addSums, NO_ISSUES);
    await addCheckCounts(trx, reportId, kind, { pending: 0, checked: 0, failed: 0, ...sums });
  }
}

const sumOf = (condition: RawBuilder<unknown>) =>
  sql`coalesce(sum(x.sign * x.how_many) FILTER (WHERE ${condition}), 0)`;

/**
 * Two tables to be used in a query: `page_mutings` and `text_mutings`, each with the mutings that act on the report and
 * match a page's URL, or a text. An issue is muted when the two have one in common. Everything is folded once, not for
 * each pair.
 */
function mutingsMatching(
  reportId: string,
  of: { readonly pages: RawBuilder<unknown>; readonly texts: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`
    acting AS MATERIALIZED (
      SELECT id, ${folded(sql.ref('url_match'))} AS url, ${folded(sql.ref('message'))} AS message
      FROM mutings WHERE ${actsOn(reportId)}
    ), folded_texts AS MATERIALIZED (
      SELECT id, ${folded(sql.ref('text'))} AS text FROM (${of.texts}) texts
    ), page_mutings AS MATERIALIZED (
      SELECT p.id, ARRAY(SELECT a.id FROM acting a WHERE strpos(p.folded_url, a.url) > 0) AS mutings
      FROM (${of.pages}) p
    ), text_mutings AS MATERIALIZED (
      SELECT t.id, ARRAY(SELECT a.id FROM acting a WHERE strpos(t.text, a.message) > 0) AS mutings FROM folded_texts t
    )`;
}
