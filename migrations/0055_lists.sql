-- Web pages are sorted and filtered by what their checks found, and common issues by their counts, from indexes alone.

-- URLs are compared byte by byte, whatever the collation of the database. A generated column prevents the change of type.
DROP INDEX web_pages_url;
ALTER TABLE web_pages
  DROP COLUMN folded_url,
  ALTER COLUMN url TYPE text COLLATE "C";
ALTER TABLE web_pages
  ADD COLUMN folded_url text NOT NULL GENERATED ALWAYS AS (casefold(url COLLATE "pg_unicode_fast")) STORED,
  -- Shortened, so that it fits into an index.
  ADD COLUMN folded_title text COLLATE "C"
    GENERATED ALWAYS AS (left(casefold(title COLLATE "pg_unicode_fast"), 200)) STORED;
CREATE INDEX web_pages_report ON web_pages (report_id, id) INCLUDE (folded_url);
CREATE UNIQUE INDEX web_pages_url ON web_pages (report_id, url) INCLUDE (id);
CREATE INDEX web_pages_title ON web_pages (report_id, folded_title NULLS FIRST, id);
CREATE INDEX web_pages_http_status ON web_pages (report_id, http_status NULLS FIRST, id);

ALTER TABLE checks ADD COLUMN state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
  CASE WHEN status <> 'checked' THEN status WHEN errors > 0 THEN 'with_errors' ELSE 'passed' END) STORED;
DROP INDEX checks_report;
CREATE INDEX checks_state ON checks (report_id, kind, state, web_page_id);
CREATE INDEX checks_errors ON checks (report_id, kind, errors, web_page_id) INCLUDE (state);

-- The pages with errors that are not muted. The other checked pages have passed.
ALTER TABLE report_checks ADD COLUMN with_errors integer NOT NULL DEFAULT 0;
UPDATE report_checks r SET with_errors = c.with_errors
FROM (SELECT report_id, kind, count(*) AS with_errors FROM checks WHERE state = 'with_errors' GROUP BY 1, 2) c
WHERE c.report_id = r.report_id AND c.kind = r.kind;

DROP INDEX common_issues_ranked, common_issues_muted_ranked;
CREATE INDEX common_issues_ranked ON common_issues (report_id, kind, rank, how_many DESC, id)
  INCLUDE (num_web_pages, muted_how_many, muted_num_web_pages, issue_type, impact_order, folded_message, folded_tags);
CREATE INDEX common_issues_muted_ranked ON common_issues (report_id, kind, rank, muted_how_many DESC, id)
  INCLUDE (muted_num_web_pages, issue_type, impact_order, folded_message, folded_tags) WHERE muted_how_many > 0;
