import { type RawBuilder, sql } from 'kysely';
import { CHANGES, DECISION_EFFECTS } from '../../../packages/client/changes.ts';
import { IMPACTS, type Impact } from '../../domain/check.ts';
import { CHECK_COUNTS, ISSUE_SUMS } from '../../domain/counts.ts';
import { TOTALS } from '../diffs/change-totals.ts';
import { COUNTS_AT_END } from '../reports/results-at-end.ts';

/**
 * Recounts of the stored sums of one report: each query returns the name of what is counted in the column `what`, and the
 * numbers in `kept` and `found`.
 */
export interface Recount {
  readonly name: string;
  readonly select: RawBuilder<unknown>;
}

/**
 * Builds the recounts of a report: pages with their issues, the report with its pages, common issues with the issues, the
 * outcomes of discovered URLs, what mutings mute, the counts at the report's end with its results at that time, and comparisons.
 * @param report selects its id
 */
export function reportRecounts(report: RawBuilder<unknown>): readonly Recount[] {
  return [
    { name: 'page_counts', select: pageCounts(report) },
    { name: 'report_counts', select: reportCounts(report) },
    { name: 'common_counts', select: commonCounts(report) },
    { name: 'pages', select: pages(report) },
    { name: 'passed_pages', select: passedPages(report) },
    { name: 'counts_at_end', select: countsAtEnd(report) },
    { name: 'pages_at_end', select: pagesAtEnd(report) },
    { name: 'outcomes', select: outcomes(report) },
    { name: 'muting_counts', select: mutingCounts(report) },
    { name: 'lengths', select: lengths(report) },
    { name: 'clusters', select: clusters(report) },
    { name: 'comparisons', select: comparisons(report) },
    { name: 'changed_issues', select: changedIssues(report) },
    { name: 'changed_pages', select: changedPages(report) },
  ];
}

function pageCounts(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'check of page ' || c.web_page_id || ' ' || c.kind AS what,
      ARRAY[${sql.join(ISSUE_SUMS.map((name) => sql.ref(`c.${name}`)))}]::bigint[] AS kept,
      ARRAY[${sql.join(ISSUE_SUMS.map((name) => sql`coalesce(${sql.ref(`s.${name}`)}, 0)`))}]::bigint[] AS found
    FROM checks c LEFT JOIN (
      SELECT i.web_page_id, i.kind,
        coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'error'), 0) AS errors,
        coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'warning'), 0) AS warnings,
        ${sql.join(IMPACTS.flatMap(impactSums))}
      FROM issues i JOIN common_issues c ON c.id = i.common_issue_id
      WHERE i.report_id = ${report} AND NOT i.muted GROUP BY 1, 2
    ) s ON s.web_page_id = c.web_page_id AND s.kind = c.kind
    WHERE c.report_id = ${report}`;
}

function reportCounts(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'report ' || coalesce(r.kind, c.kind) AS what,
      ARRAY[${sql.join(CHECK_COUNTS.map((name) => sql`coalesce(${sql.ref(`r.${name}`)}, 0)`))}]::bigint[] AS kept,
      ARRAY[${sql.join(CHECK_COUNTS.map((name) => sql`coalesce(${sql.ref(`c.${name}`)}, 0)`))}]::bigint[] AS found
    FROM (SELECT * FROM report_checks WHERE report_id = ${report}) r FULL JOIN (
      SELECT kind, count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'checked') AS checked,
        count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'checked' AND errors > 0) AS with_errors,
        count(*) FILTER (WHERE status = 'checked' AND critical_errors + serious_errors > 0) AS with_severe,
        ${sql.join(ISSUE_SUMS.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`))}
      FROM checks WHERE report_id = ${report} GROUP BY kind
    ) c ON c.kind = r.kind`;
}

function commonCounts(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'common issue ' || c.id AS what,
      ARRAY[c.how_many, c.num_web_pages, c.muted_how_many, c.muted_num_web_pages]::bigint[] AS kept,
      (SELECT ARRAY[coalesce(sum(i.how_many) FILTER (WHERE NOT i.muted), 0),
        count(DISTINCT i.web_page_id) FILTER (WHERE NOT i.muted),
        coalesce(sum(i.how_many) FILTER (WHERE i.muted), 0),
        count(DISTINCT i.web_page_id) FILTER (WHERE i.muted)]::bigint[]
        FROM issues i WHERE i.common_issue_id = c.id) AS found
    FROM common_issues c WHERE c.report_id = ${report}`;
}

function pages(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'num_pages' AS what, ARRAY[r.num_pages]::bigint[] AS kept,
      (SELECT ARRAY[count(*)]::bigint[] FROM web_pages p WHERE p.report_id = r.id) AS found
    FROM reports r WHERE r.id = ${report} AND r.deleted_at IS NULL`;
}

function passedPages(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'checked and passed pages' AS what, ARRAY[r.checked_pages, r.passed_pages]::bigint[] AS kept,
      (SELECT ARRAY[count(*), count(*) FILTER (WHERE errors = 0)]::bigint[] FROM (
        SELECT sum(errors) AS errors FROM checks WHERE report_id = r.id
        GROUP BY web_page_id HAVING bool_and(status = 'checked')) checked) AS found
    FROM reports r WHERE r.id = ${report} AND r.deleted_at IS NULL`;
}

/** The checks of the report at its end, with the sums of their issues. */
function checksThen(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    SELECT c.web_page_id, c.kind, c.status,
      ${sql.join(ISSUE_SUMS.map((name) => sql`coalesce(${sql.ref(`s.${name}`)}, 0) AS ${sql.ref(name)}`))}
    FROM checks_at_end c JOIN web_pages p ON p.id = c.web_page_id LEFT JOIN (
      SELECT i.web_page_id, i.kind,
        coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'error'), 0) AS errors,
        coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'warning'), 0) AS warnings,
        ${sql.join(IMPACTS.flatMap(impactSums))}
      FROM issues_at_end i, LATERAL (SELECT i.issue_type, i.impact) c
      WHERE i.report_id = ${report} AND NOT i.muted GROUP BY 1, 2
    ) s ON s.web_page_id = c.web_page_id AND s.kind = c.kind
    WHERE p.report_id = ${report})`;
}

function countsAtEnd(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'report at its end ' || r.kind AS what,
      ARRAY[${sql.join(COUNTS_AT_END.map((name) => sql.ref(`r.${name}`)))}]::bigint[] AS kept,
      ARRAY[${sql.join(COUNTS_AT_END.map((name) => sql`coalesce(${sql.ref(`c.${name}`)}, 0)`))}]::bigint[] AS found
    FROM report_checks_at_end r JOIN reports ON reports.id = r.report_id LEFT JOIN (
      SELECT kind, count(*) FILTER (WHERE status = 'checked') AS checked, count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'checked' AND errors > 0) AS with_errors,
        count(*) FILTER (WHERE status = 'checked' AND critical_errors + serious_errors > 0) AS with_severe,
        ${sql.join(ISSUE_SUMS.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`))}
      FROM ${checksThen(report)} at_end GROUP BY kind
    ) c ON c.kind = r.kind
    WHERE r.report_id = ${report} AND reports.first_finished_at IS NOT NULL`;
}

function pagesAtEnd(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'pages at the end' AS what, ARRAY[r.checked_pages_at_end, r.passed_pages_at_end]::bigint[] AS kept,
      (SELECT ARRAY[count(*), count(*) FILTER (WHERE errors = 0)]::bigint[]
        FROM (SELECT sum(errors) AS errors FROM ${checksThen(report)} at_end
          GROUP BY web_page_id HAVING bool_and(status = 'checked')) checked) AS found
    FROM reports r WHERE r.id = ${report} AND r.deleted_at IS NULL AND r.first_finished_at IS NOT NULL`;
}

function outcomes(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'outcome ' || coalesce(c.outcome, d.outcome) AS what, ARRAY[coalesce(c.how_many, 0)]::bigint[] AS kept,
      ARRAY[coalesce(d.how_many, 0)]::bigint[] AS found
    FROM (SELECT * FROM discovered_url_counts WHERE report_id = ${report}) c FULL JOIN (
      SELECT outcome, count(*) AS how_many FROM discovered_urls WHERE report_id = ${report} GROUP BY 1
    ) d ON d.outcome = c.outcome
    WHERE EXISTS (SELECT FROM reports WHERE id = ${report} AND deleted_at IS NULL)`;
}

function mutingCounts(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'muting ' || coalesce(r.muting_id, i.muting_id) AS what, ARRAY[coalesce(r.how_many, 0)]::bigint[] AS kept,
      ARRAY[coalesce(i.how_many, 0)]::bigint[] AS found
    FROM (SELECT * FROM report_mutings WHERE report_id = ${report}) r FULL JOIN (
      SELECT muting_id, sum(how_many) AS how_many FROM issues, unnest(mutings) AS muting_id
      WHERE report_id = ${report} GROUP BY 1
    ) i ON i.muting_id = r.muting_id
    WHERE EXISTS (SELECT FROM reports WHERE id = ${report} AND deleted_at IS NULL)`;
}

/** The data that identifies occurrences has a fixed number of bytes per occurrence. */
function lengths(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'identity of issue ' || id AS what, ARRAY[how_many, how_many, how_many]::bigint[] AS kept,
      ARRAY[length(fingerprints) / 16.0, length(clusters) / 8.0, length(traces) / 8.0]::bigint[] AS found
    FROM issues WHERE report_id = ${report}`;
}

function clusters(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'clusters of common issue ' || k.common_issue_id AS what,
      ARRAY[unlisted + (SELECT coalesce(sum((item->>'how_many')::bigint), 0) FROM jsonb_array_elements(k.clusters) item)]::bigint[] AS kept,
      ARRAY[c.how_many]::bigint[] AS found
    FROM cluster_lists k JOIN common_issues c ON c.id = k.common_issue_id
    WHERE c.report_id = ${report} AND k.muted = 'false' AND k.state = c.updated_at`;
}

function comparisons(report: RawBuilder<unknown>): RawBuilder<unknown> {
  const names = [...CHANGES, 'worse_critical', 'worse_errors'];
  const sums = (of: string) =>
    sql.join([
      ...names.map((name) => sql.ref(`${of}.${name}`)),
      ...DECISION_EFFECTS.map((effect) => sql`(${sql.ref(`${of}.decided`)}->>${sql.lit(effect)})::bigint`),
    ]);
  return sql`
    SELECT 'comparison ' || d.id || ' with ' || d.with_id AS what, ARRAY[${sums('d')}]::bigint[] AS kept,
      ARRAY[${sums('s')}]::bigint[] AS found
    FROM diffs d CROSS JOIN LATERAL (SELECT ${TOTALS} FROM issue_changes WHERE diff_id = d.id) s
    WHERE d.report_id = ${report}`;
}

function changedIssues(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'occurrences by change of comparison ' || d.id || ', common issue ' || c.common_issue_id AS what,
      ARRAY[c.how_many, cardinality(c.issues)]::bigint[] AS kept,
      ARRAY[coalesce(c.ends[cardinality(c.ends)], 0), cardinality(c.ends)]::bigint[] AS found
    FROM diffs d JOIN changed_issues c ON c.diff_id = d.id WHERE d.report_id = ${report}`;
}

function changedPages(report: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT 'pages by change of comparison ' || d.id || ' ' || c.change AS what, ARRAY[c.num_pages]::bigint[] AS kept,
      ARRAY[cardinality(c.pages)]::bigint[] AS found
    FROM diffs d JOIN changed_pages c ON c.diff_id = d.id WHERE d.report_id = ${report}`;
}

/** Adds up the occurrences with an impact: of all issues, and of errors alone. */
function impactSums(impact: Impact): RawBuilder<unknown>[] {
  const sumOf = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`coalesce(sum(i.how_many) FILTER (WHERE c.impact = ${sql.lit(impact)} AND ${condition}), 0)`;
  return [
    sql`${sumOf(sql`true`)} AS ${sql.ref(impact)}`,
    sql`${sumOf(sql`c.issue_type = 'error'`)} AS ${sql.ref(`${impact}_errors`)}`,
  ];
}
