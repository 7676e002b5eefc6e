-- The coverage of a report: every URL that the spider came across with its one outcome, to be listed and counted.

-- Waiting is an outcome like the others. What still waits when the crawl is over is not written again, since it may be
-- hundreds of thousands of rows: the end of the crawl tells what became of it.
DROP INDEX discovered_urls_frontier;
DROP INDEX discovered_urls_url;
ALTER TABLE discovered_urls DROP CONSTRAINT discovered_urls_pkey;
UPDATE discovered_urls d SET outcome = CASE
    WHEN outcome IS NULL OR outcome = 'over_max_pages' THEN 'waiting'
    WHEN outcome = 'canonical' THEN 'duplicate'
    WHEN outcome IN ('outside', 'excluded') AND target IS NOT NULL THEN 'redirected'
    WHEN outcome = 'outside' THEN 'off_site'
    WHEN outcome IN ('page', 'failed')
      AND NOT EXISTS (SELECT FROM web_pages p WHERE p.report_id = d.report_id AND p.url = d.url) THEN 'deleted'
    ELSE outcome
  END;
ALTER TABLE discovered_urls
  -- URLs are compared and sorted by code points.
  ALTER COLUMN url TYPE text COLLATE "C",
  ALTER COLUMN outcome SET NOT NULL,
  ALTER COLUMN outcome SET DEFAULT 'waiting',
  ADD COLUMN folded_url text NOT NULL GENERATED ALWAYS AS (casefold(url COLLATE "pg_unicode_fast")) STORED,
  -- Of the answer to the request for this URL; null where there was none.
  ADD COLUMN http_status integer,
  -- What the outcome alone does not tell: why it failed, what its content type is.
  ADD COLUMN detail text;
UPDATE discovered_urls d SET http_status = p.http_status, detail = p.fetch_error
  FROM web_pages p WHERE p.report_id = d.report_id AND p.url = d.url COLLATE "default" AND d.outcome IN ('page', 'failed');

-- The orders of the list, each with what its filters look at.
ALTER TABLE discovered_urls ADD PRIMARY KEY (report_id, position) INCLUDE (outcome, folded_url);
CREATE UNIQUE INDEX discovered_urls_url ON discovered_urls (report_id, url) INCLUDE (position, outcome);
CREATE INDEX discovered_urls_outcome ON discovered_urls (report_id, outcome, position);
-- As the other tables behind lists.
ALTER TABLE discovered_urls SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

CREATE TABLE discovered_url_counts (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  outcome text NOT NULL,
  how_many bigint NOT NULL CHECK (how_many >= 0),
  PRIMARY KEY (report_id, outcome)
);
INSERT INTO discovered_url_counts SELECT report_id, outcome, count(*) FROM discovered_urls GROUP BY 1, 2;

-- Finds of URLs that a full list had no room for. One that was found on several pages counts with each.
ALTER TABLE reports ADD COLUMN urls_not_kept bigint NOT NULL DEFAULT 0;

-- Outcomes change in many places, all of them under the report's lock, and the counts must follow in all of them.
CREATE FUNCTION count_new_discovered_urls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discovered_url_counts AS c SELECT report_id, outcome, count(*) FROM new_urls GROUP BY 1, 2
  ON CONFLICT (report_id, outcome) DO UPDATE SET how_many = c.how_many + excluded.how_many;
  RETURN NULL;
END $$;
CREATE TRIGGER discovered_urls_inserted AFTER INSERT ON discovered_urls
  REFERENCING NEW TABLE AS new_urls FOR EACH STATEMENT EXECUTE FUNCTION count_new_discovered_urls();

CREATE FUNCTION count_changed_discovered_urls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discovered_url_counts SELECT DISTINCT report_id, outcome, 0 FROM new_urls ON CONFLICT DO NOTHING;
  UPDATE discovered_url_counts c SET how_many = c.how_many + changes.change
  FROM (
    SELECT report_id, outcome, sum(change) AS change
    FROM (SELECT report_id, outcome, 1 AS change FROM new_urls UNION ALL SELECT report_id, outcome, -1 FROM old_urls) AS single
    GROUP BY 1, 2
  ) AS changes
  WHERE c.report_id = changes.report_id AND c.outcome = changes.outcome AND changes.change <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER discovered_urls_updated AFTER UPDATE ON discovered_urls
  REFERENCING OLD TABLE AS old_urls NEW TABLE AS new_urls
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_discovered_urls();
