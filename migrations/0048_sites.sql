-- A site is what an account checks again and again. Reports with the same settings are of the same site; tags, sharing and the
-- rate limit do not count.
CREATE TABLE sites (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- See `site_key`.
  key bytea NOT NULL,
  starting_url text NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, key)
);

-- Identifies the settings that decide which pages and checks a report has. Those with their default value are left out, so that
-- a setting that is added later leaves existing sites alone.
-- `defaults` names the settings that count.
CREATE FUNCTION site_key(settings jsonb, defaults jsonb) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT sha256(convert_to(coalesce(jsonb_object_agg(d.key, settings -> d.key), '{}')::text, 'UTF8'))
  FROM jsonb_each(defaults) d WHERE settings -> d.key IS DISTINCT FROM d.value
$$;

ALTER TABLE reports ADD COLUMN site_id uuid REFERENCES sites;
CREATE TEMP TABLE report_sites ON COMMIT DROP AS
  SELECT r.id, r.account_id, r.starting_url, r.inserted_at, site_key(
    to_jsonb(r) || jsonb_build_object(
      'checks', coalesce((SELECT jsonb_agg(c.kind ORDER BY c.kind COLLATE "C") FROM report_checks c WHERE c.report_id = r.id), '[]'),
      'signs_in', r.site_access IS NOT NULL),
    '{"starting_url": "", "max_pages": 10, "deep_crawl": true, "prefer_canonical_urls": true, "respect_robots_txt": false,
      "dynamic_crawler": false, "initial_urls": [], "exclusions": [], "device_id": null, "device_rotated": false, "wait_for": null,
      "checks": [], "signs_in": false}') AS key
  FROM reports r;
INSERT INTO sites (account_id, key, starting_url, inserted_at)
  SELECT account_id, key, min(starting_url), min(inserted_at) FROM report_sites GROUP BY account_id, key;
UPDATE reports r SET site_id = s.id FROM report_sites x JOIN sites s USING (account_id, key) WHERE x.id = r.id;
ALTER TABLE reports ALTER COLUMN site_id SET NOT NULL;
CREATE INDEX reports_site ON reports (site_id, inserted_at DESC, id DESC);
