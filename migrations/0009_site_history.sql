-- What a site looks like, and what changed between its runs: docs/decisions/0050-sites.md and 0052-screenshots.md.

-- The start page of each site, from the newest report whose accessibility check has shown it.
CREATE TABLE site_thumbnails (
  site_id uuid PRIMARY KEY REFERENCES sites ON DELETE CASCADE,
  -- The report of the page.
  report_id uuid NOT NULL,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  -- WebP.
  image bytea STORAGE EXTERNAL NOT NULL,
  -- SHA-256 of the image.
  hash bytea NOT NULL,
  -- `width` and `height`: in pixels of the image.
  width integer NOT NULL,
  height integer NOT NULL,
  taken_at timestamptz NOT NULL
);
CREATE INDEX site_thumbnails_page ON site_thumbnails (web_page_id);

ALTER TABLE reports
  -- Whether a deploy hook created the report.
  ADD COLUMN by_deploy_hook boolean NOT NULL DEFAULT false;
UPDATE reports SET by_deploy_hook = true WHERE id IN (
  SELECT hook_report_id FROM schedules UNION SELECT report_id FROM hook_messages);

ALTER TABLE report_checks
  -- `engine_version` of the check that ran first. Unlike the versions of checks, it stays the same when pages are checked again.
  ADD COLUMN engine_version text;
UPDATE report_checks rc SET engine_version = (
  SELECT c.engine_version FROM checks c
  WHERE c.report_id = rc.report_id AND c.kind = rc.kind AND c.state IN ('passed', 'with_errors') LIMIT 1)
WHERE checked > 0;

-- Mutings of accounts that muted issues of a site and were deleted or expired. Their other rows are removed then.
CREATE TABLE ended_mutings (
  site_id uuid NOT NULL REFERENCES sites ON DELETE CASCADE,
  -- The former id in `mutings`.
  muting_id bigint NOT NULL,
  added_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, muting_id)
);
