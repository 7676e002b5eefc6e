-- When a kind of issue was last found on a site: the time of the latest report that has it, so that it can be forgotten when no
-- report has it any more. For what was found before now, no report is later than now.
ALTER TABLE first_sightings ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE first_sightings ALTER COLUMN last_seen_at DROP DEFAULT;
CREATE INDEX first_sightings_last ON first_sightings (site_id, last_seen_at);
