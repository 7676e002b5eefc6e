-- Sites are rows of their own instead of a hash of settings: docs/decisions/0050-sites.md.

ALTER TABLE sites
  -- What its owner calls it. Empty: its starting URL.
  ADD COLUMN name text NOT NULL DEFAULT '',
  ADD COLUMN notes text NOT NULL DEFAULT '',
  -- The attributes of its next report, as in `schedules`.
  ADD COLUMN definition jsonb,
  -- Credentials for the site, encrypted for this row. Null without credentials.
  ADD COLUMN site_access bytea,
  -- Whether someone created or edited it. Otherwise it has the settings of its newest report, and is removed with its last report.
  ADD COLUMN is_kept boolean NOT NULL DEFAULT false,
  -- When it was archived. Null: it is in use.
  ADD COLUMN archived_at timestamptz,
  -- When its owner deleted it. It disappears immediately; the row is removed with its last report.
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

ALTER TABLE schedules ADD COLUMN site_id uuid REFERENCES sites ON DELETE CASCADE;

-- The settings of the newest report of each site.
UPDATE sites SET updated_at = newest.inserted_at, definition = jsonb_build_object(
  'starting_url', newest.starting_url, 'max_pages', newest.max_pages, 'rate_limit', newest.rate_limit,
  'deep_crawl', newest.deep_crawl, 'prefer_canonical_urls', newest.prefer_canonical_urls,
  'respect_robots_txt', newest.respect_robots_txt, 'dynamic_crawler', newest.dynamic_crawler,
  'initial_urls', newest.initial_urls, 'inclusions', newest.inclusions, 'exclusions', newest.exclusions, 'device_id', newest.device_id,
  'device_rotated', newest.device_rotated, 'wait_for', newest.wait_for, 'store_screenshots', newest.store_screenshots,
  'tags', newest.tags, 'shared', newest.shared,
  'checks', ARRAY(SELECT kind FROM report_checks WHERE report_id = newest.id ORDER BY position),
  'store_raw_checks', ARRAY(SELECT kind FROM report_checks WHERE report_id = newest.id AND store_raw ORDER BY position))
FROM (SELECT DISTINCT ON (site_id) * FROM reports ORDER BY site_id, inserted_at DESC, id DESC) newest
WHERE newest.site_id = sites.id;
-- Without a report: removed as if its last report had just been.
DELETE FROM sites WHERE definition IS NULL;

ALTER TABLE sites
  ALTER COLUMN definition SET NOT NULL,
  DROP CONSTRAINT sites_account_id_key_key,
  DROP COLUMN key,
  DROP COLUMN starting_url;
ALTER TABLE sites
  ADD COLUMN starting_url text GENERATED ALWAYS AS (definition ->> 'starting_url') STORED NOT NULL,
  -- The starting URL without its scheme: http and https of one address are one site.
  ADD COLUMN address text GENERATED ALWAYS AS (regexp_replace(definition ->> 'starting_url', '^https?://', '')) STORED NOT NULL;
-- Hashed because an address may be too long for an index.
CREATE INDEX sites_address ON sites (account_id, md5(address));

-- Schedules belong to the site of their newest report.
UPDATE schedules s SET site_id = (
  SELECT r.site_id FROM reports r WHERE r.schedule_id = s.id ORDER BY r.inserted_at DESC, r.id DESC LIMIT 1);

-- Sites with one address become one site if none of their reports are from the same time: then only the settings have changed.
CREATE TEMPORARY TABLE site_spans ON COMMIT DROP AS
  SELECT sites.id, sites.account_id, sites.address, min(r.inserted_at) AS began_at,
    CASE WHEN EXISTS (SELECT FROM schedules s WHERE s.site_id = sites.id AND s.active) THEN 'infinity'
      ELSE max(r.inserted_at) END AS ended_at
  FROM sites JOIN reports r ON r.site_id = sites.id GROUP BY sites.id;
CREATE TEMPORARY TABLE merged_sites ON COMMIT DROP AS
  WITH spans AS (
    SELECT *, lead(began_at) OVER same AS next_began_at, last_value(id) OVER (same ROWS BETWEEN UNBOUNDED PRECEDING
      AND UNBOUNDED FOLLOWING) AS newest_id
    FROM site_spans WINDOW same AS (PARTITION BY account_id, address ORDER BY began_at, id)
  ), groups AS (
    SELECT account_id, address FROM spans GROUP BY account_id, address
    HAVING count(*) > 1 AND bool_and(next_began_at IS NULL OR ended_at < next_began_at)
  )
  SELECT id, newest_id FROM spans JOIN groups USING (account_id, address) WHERE id <> newest_id;
UPDATE reports SET site_id = newest_id FROM merged_sites m WHERE m.id = reports.site_id;
UPDATE schedules SET site_id = newest_id FROM merged_sites m WHERE m.id = schedules.site_id;
INSERT INTO first_sightings AS f (site_id, fingerprint, seen_at, last_seen_at)
  SELECT m.newest_id, s.fingerprint, min(s.seen_at), max(s.last_seen_at)
  FROM merged_sites m JOIN first_sightings s ON s.site_id = m.id GROUP BY 1, 2
  ON CONFLICT (site_id, fingerprint) DO UPDATE SET seen_at = least(f.seen_at, excluded.seen_at),
    last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at);
DELETE FROM sites USING merged_sites m WHERE m.id = sites.id;

-- Schedules that have no report yet belong to the only site with their address, or to a new one.
UPDATE schedules s SET site_id = found.id
FROM (
  SELECT account_id, address, (array_agg(id))[1] AS id FROM sites GROUP BY account_id, address HAVING count(*) = 1
) found
WHERE s.site_id IS NULL AND found.account_id = s.account_id
  AND found.address = regexp_replace(s.definition ->> 'starting_url', '^https?://', '');
CREATE TEMPORARY TABLE new_sites ON COMMIT DROP AS SELECT id AS schedule_id, uuidv7() AS id FROM schedules WHERE site_id IS NULL;
INSERT INTO sites (id, account_id, definition)
  SELECT n.id, s.account_id, s.definition FROM new_sites n JOIN schedules s ON s.id = n.schedule_id;
UPDATE schedules SET site_id = n.id FROM new_sites n WHERE n.schedule_id = schedules.id;

ALTER TABLE schedules ALTER COLUMN site_id SET NOT NULL;
DROP INDEX schedules_next;
CREATE INDEX schedules_site ON schedules (site_id);
