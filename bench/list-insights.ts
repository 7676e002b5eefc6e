/** Fills the tables of data that is stored with results or computed from them, for `bench/list-data.ts`. */
import type pg from 'pg';
import { packDocument } from '../src/platform/packed-document.ts';

/** Lines of the document of the worst page (some megabytes), and of the document of all other pages (80 kB). */
const DOCUMENT_LINES = [60_000, 1_000];
const PICTURES = 1_000;
/** Bytes of a screenshot, as on real pages. */
const pictureBytes = 28_000;
const FIXES = 20;

/** Stores the two documents that all pages have. */
export async function documents(client: pg.Client): Promise<void> {
  for (const lines of DOCUMENT_LINES) {
    const line = (_: unknown, number: number) =>
      `<div class="card card-body"><a class="btn btn-primary" href="/item/${number}">Some text</a></div>`;
    const text = `<!DOCTYPE html><title>Page</title>\n${Array.from({ length: lines }, line).join('\n')}`;
    const { hash, body, size } = await packDocument(Buffer.from(text));
    await client.query('INSERT INTO documents (hash, body, size) VALUES ($1, $2, $3)', [hash, body, size]);
  }
}

/**
 * Compares each finished report with the previous one of its site, by issue types: of those in the report, a twentieth each is
 * new, regressed, fixed and unverified. Each has as many fixes as there can be. All issue types have been dated.
 */
export function insights(): string {
  return `
    INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
    SELECT r.id, b.id, true, r.results_at, b.results_at
    FROM reports r CROSS JOIN LATERAL (
      SELECT id, results_at FROM reports b
      WHERE b.site_id = r.site_id AND (b.inserted_at, b.id) < (r.inserted_at, r.id) AND b.status = 'finished'
      ORDER BY b.inserted_at DESC, b.id DESC LIMIT 1) b
    WHERE r.status = 'finished';
    INSERT INTO issue_changes (diff_id, position, kind, fingerprint, change, occurrences, cause, causes, issue_type, message, rule_id,
      impact, how_many, how_many_before, num_web_pages, num_web_pages_before)
    SELECT p.id, row_number() OVER (PARTITION BY p.id ORDER BY x.change, c.rank, c.id), c.kind, c.fingerprint, x.change,
      jsonb_build_object(x.change, c.how_many), 'site',
      CASE x.change WHEN 'persisting' THEN '{}' ELSE jsonb_build_object('site', c.how_many) END,
      c.issue_type, c.message, c.rule_id, c.impact,
      CASE WHEN x.change IN ('new', 'regressed', 'persisting') THEN c.how_many ELSE 0 END,
      CASE WHEN x.change IN ('new', 'regressed') THEN 0 ELSE c.how_many END,
      CASE WHEN x.change IN ('new', 'regressed', 'persisting') THEN c.num_web_pages ELSE 0 END,
      CASE WHEN x.change IN ('new', 'regressed') THEN 0 ELSE c.num_web_pages END
    FROM diffs p JOIN common_issues c ON c.report_id = p.report_id
      CROSS JOIN LATERAL (SELECT CASE c.id % 20 WHEN 2 THEN 'fixed' WHEN 4 THEN 'unverified' ELSE c.change END AS change) x;
    UPDATE diffs p SET new = s.new, persisting = s.persisting, fixed = s.fixed, regressed = s.regressed,
      unverified = s.unverified
    FROM (SELECT diff_id, ${['new', 'persisting', 'fixed', 'regressed', 'unverified']
      .map((change) => `coalesce(sum((occurrences->>'${change}')::bigint), 0) AS ${change}`)
      .join(', ')}
      FROM issue_changes GROUP BY 1) s WHERE s.diff_id = p.id;
    INSERT INTO first_sightings (site_id, fingerprint, seen_at, last_seen_at)
    SELECT r.site_id, c.fingerprint, min(r.inserted_at), max(r.inserted_at)
    FROM reports r JOIN common_issues c ON c.report_id = r.id GROUP BY 1, 2;
    INSERT INTO fixes (report_id, position, common_issue_id, cluster, kind, message, markup, selector, sample_page_id, how_many,
      num_web_pages, errors, passing_before, passing_after, passing_after_plan)
    SELECT r.id, c.position, c.id, '\\x8f14e45fceea167a', c.kind, c.message, '<div class="card card-body">', 'main > .card',
      (SELECT web_page_id FROM issues WHERE common_issue_id = c.id ORDER BY web_page_id LIMIT 1), c.how_many, c.num_web_pages,
      c.how_many, r.passed_pages, r.passed_pages + c.position, r.passed_pages + c.position
    FROM reports r CROSS JOIN LATERAL (
      SELECT *, row_number() OVER (ORDER BY num_web_pages DESC, id) AS position FROM common_issues WHERE report_id = r.id
      ORDER BY num_web_pages DESC, id LIMIT ${FIXES}) c
    WHERE r.status = 'finished';`;
}

/** A screenshot of each page whose accessibility was checked. */
export function screenshots(): string {
  return `
    CREATE TEMP TABLE seed_pictures AS
      SELECT n, sha256(n::text::bytea) AS hash
      FROM (SELECT DISTINCT id % ${PICTURES} AS n FROM seed_pages WHERE a11y = 'checked') shown;
    INSERT INTO screenshot_images (hash, image, width, height)
    SELECT hash, decode(repeat(md5(n::text), ${pictureBytes / 16}), 'hex'), 320, 1200 FROM seed_pictures;
    INSERT INTO screenshots (web_page_id, kind, image_hash, scale, clipped, taken_at)
    SELECT p.id, 'a11y', i.hash, 0.25, false, now() FROM seed_pages p JOIN seed_pictures i ON i.n = p.id % ${PICTURES}
    WHERE p.a11y = 'checked';`;
}
