import { sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from './database.ts';
import { foldedContains } from './listing.ts';
import { matchesMessage } from './mutings.ts';

/** Among these the latest report of each starting URL is looked for. */
const REPORTS_MAX = 200;
/** Reports are added, the newest first, until they have as many pages: their issues are counted in some hundred milliseconds. */
const PAGES_MAX = 5_000;
/** Kinds of issue that match. More are not counted. */
const KINDS_MAX = 5_000;
/** Kinds that are named. */
const KINDS_SHOWN = 10;

export interface PreviewedKind {
  readonly kind: CheckKind;
  readonly message: string;
  readonly how_many: number;
}

export interface MutingPreview {
  /** Occurrences that match, muted ones included. */
  readonly how_many: number;
  readonly num_web_pages: number;
  /** The most frequent kinds of issue, at most `KINDS_SHOWN`. */
  readonly kinds: readonly PreviewedKind[];
  /** Reports and pages that were searched. */
  readonly num_reports: number;
  readonly num_web_pages_searched: number;
  /** Whether the latest report of each starting URL was searched completely. */
  readonly is_complete: boolean;
}

/** Counts what a muting would match in the latest reports of an account. */
export async function previewMuting(
  db: Executor,
  accountId: string,
  { urlMatch, message }: { readonly urlMatch: string; readonly message: string },
): Promise<MutingPreview> {
  const { reportIds, isComplete } = await latestReports(db, accountId);
  const { rows: pages } = await sql<{ id: number; matches: boolean }>`
    SELECT p.id, ${foldedContains(sql.ref('p.folded_url'), urlMatch)} AS matches
    FROM unnest(${reportIds}::uuid[]) AS r(id) CROSS JOIN LATERAL (
      SELECT id, folded_url FROM web_pages WHERE report_id = r.id ORDER BY id LIMIT ${PAGES_MAX + 1}
    ) p LIMIT ${PAGES_MAX + 1}`.execute(db);
  const searched = pages.slice(0, PAGES_MAX);
  const matching = searched.flatMap(({ id, matches }) => (matches ? [id] : []));
  const { rows: kindIds } = await sql<{ id: number }>`
    SELECT id FROM common_issues WHERE report_id = ANY(${reportIds}::uuid[]) AND ${matchesMessage(message)}
    LIMIT ${KINDS_MAX + 1}`.execute(db);
  const counted = kindIds.slice(0, KINDS_MAX).map(({ id }) => id);
  const counts = await countMatches(db, matching, counted);
  return {
    ...counts,
    num_reports: reportIds.length,
    num_web_pages_searched: searched.length,
    is_complete: isComplete && pages.length <= PAGES_MAX && kindIds.length <= KINDS_MAX,
  };
}

/** Returns the latest report of each starting URL, the newest first, up to the one with which they have `PAGES_MAX` pages. */
async function latestReports(db: Executor, accountId: string): Promise<{ reportIds: string[]; isComplete: boolean }> {
  const { rows } = await sql<{ id: string; starting_url: string; num_pages: number }>`
    SELECT id, starting_url, num_pages FROM reports
    WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY id DESC LIMIT ${REPORTS_MAX}`.execute(db);
  const seen = new Set<string>();
  const latest = rows.filter(({ starting_url: url, num_pages: numPages }) => {
    if (numPages === 0 || seen.has(url)) return false;
    seen.add(url);
    return true;
  });
  let pages = 0;
  const chosen = latest.filter(({ num_pages: numPages }) => {
    const isNeeded = pages < PAGES_MAX;
    pages += numPages;
    return isNeeded;
  });
  return {
    reportIds: chosen.map(({ id }) => id),
    isComplete: chosen.length === latest.length && rows.length < REPORTS_MAX,
  };
}

async function countMatches(
  db: Executor,
  pageIds: readonly number[],
  kindIds: readonly number[],
): Promise<Pick<MutingPreview, 'how_many' | 'num_web_pages' | 'kinds'>> {
  if (pageIds.length === 0 || kindIds.length === 0) return { how_many: 0, num_web_pages: 0, kinds: [] };
  const { rows } = await sql<Pick<MutingPreview, 'how_many' | 'num_web_pages' | 'kinds'>>`
    WITH on_pages AS MATERIALIZED (
      -- Their number is limited, unlike that of the issues of a kind.
      SELECT i.* FROM unnest(${pageIds}::bigint[]) AS p (id) CROSS JOIN LATERAL (
        -- One by one: for all at once, PostgreSQL may skip through the index of common issues, which takes seconds.
        SELECT common_issue_id, web_page_id, how_many FROM issues WHERE web_page_id = p.id OFFSET 0) i
    ), found AS MATERIALIZED (
      SELECT * FROM on_pages WHERE common_issue_id = ANY(${kindIds})
    ), kinds AS (
      SELECT c.kind, c.message, sum(f.how_many) AS how_many
      FROM found f JOIN common_issues c ON c.id = f.common_issue_id GROUP BY c.kind, c.message
      ORDER BY how_many DESC, c.message LIMIT ${KINDS_SHOWN}
    )
    SELECT coalesce(sum(how_many), 0)::bigint AS how_many, count(DISTINCT web_page_id) AS num_web_pages,
      coalesce((SELECT json_agg(kinds) FROM kinds), '[]') AS kinds FROM found`.execute(db);
  return rows[0] ?? { how_many: 0, num_web_pages: 0, kinds: [] };
}
