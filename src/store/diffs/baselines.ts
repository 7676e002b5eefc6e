import { sql } from 'kysely';
import type { Certainty, CheckKind, Impact } from '../../domain/check.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { matchesMessage } from '../mutings/mutings.ts';

/** The contents of baselines, except for the results of pages. */

/** Returns the versions of the engines that checked the pages of a report, in order. */
export async function engineVersions(db: Executor, reportId: string): Promise<Map<CheckKind, string[]>> {
  const { rows } = await sql<{ kind: CheckKind; version: string }>`
    SELECT DISTINCT kind COLLATE "C" AS kind, engine_version COLLATE "C" AS version FROM checks
    WHERE report_id = ${reportId} AND status = 'checked' AND engine_version IS NOT NULL ORDER BY 1, 2`.execute(db);
  const versions = new Map<CheckKind, string[]>();
  for (const { kind, version } of rows) versions.set(kind, [...(versions.get(kind) ?? []), version]);
  return versions;
}

/** An issue type, as people recognize it. */
export interface NamedIssueType {
  readonly kind: CheckKind;
  /** In hexadecimal. */
  readonly fingerprint: string;
  readonly type: Certainty;
  /** Cut at the given number of characters. */
  readonly message: string;
}

/** Issue types read at a time. */
const ISSUE_TYPES_AT_A_TIME = 5_000;

/** Yields the issue types of a report that are not muted, each once, by kind of check and fingerprint. */
export async function* namedIssueTypes(
  db: Executor,
  reportId: string,
  messageCharacters: number,
): AsyncGenerator<NamedIssueType> {
  for (let after = { kind: '', fingerprint: '' }; ; ) {
    const { rows } = await sql<NamedIssueType>`
      SELECT kind, encode(fingerprint, 'hex') AS fingerprint, min(issue_type) AS type,
        min(left(message, ${messageCharacters}::integer) COLLATE "C") AS message
      FROM common_issues
      WHERE report_id = ${reportId} AND how_many > 0
        AND (kind COLLATE "C", fingerprint) > (${after.kind}, decode(${after.fingerprint}, 'hex'))
      GROUP BY kind, common_issues.fingerprint ORDER BY kind COLLATE "C", common_issues.fingerprint
      LIMIT ${ISSUE_TYPES_AT_A_TIME}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ISSUE_TYPES_AT_A_TIME) return;
    after = last;
  }
}

/** How bad a common issue is. */
export interface RankedIssue {
  readonly id: number;
  /** In hexadecimal. */
  readonly fingerprint: string;
  /** The lowest rank is the worst. */
  readonly rank: number;
  readonly type: Certainty;
  readonly impact: Impact | null;
}

/** Returns how bad common issues are, by id. */
export async function rankIssues(db: Executor, ids: readonly number[]): Promise<Map<number, RankedIssue>> {
  const ranked = new Map<number, RankedIssue>();
  for (const slice of slicesOf(ids, ISSUE_TYPES_AT_A_TIME)) {
    const { rows } = await sql<RankedIssue>`
      SELECT id, encode(fingerprint, 'hex') AS fingerprint, rank, issue_type AS type, impact
      FROM common_issues WHERE id = ANY(${slice})`.execute(db);
    for (const row of rows) ranked.set(row.id, row);
  }
  return ranked;
}

/** An issue type of a report, and the number of its occurrences that are not muted. */
export interface IssueTypeInReport {
  readonly id: number;
  readonly howMany: number;
  readonly type: Certainty;
  readonly impact: Impact | null;
}

/** Returns the issue types of a report whose message contains a text, or whose rule id equals it. */
export async function issueTypesMatching(
  db: Executor,
  reportId: string,
  { message, isByRule }: { readonly message: string; readonly isByRule: boolean },
): Promise<readonly IssueTypeInReport[]> {
  const matches = isByRule ? sql`lower(rule_id) = lower(${message})` : matchesMessage(message);
  const { rows } = await sql<IssueTypeInReport>`
    SELECT id, how_many AS "howMany", issue_type AS type, impact FROM common_issues
    WHERE report_id = ${reportId} AND how_many > 0 AND ${matches}`.execute(db);
  return rows;
}
