-- Mutings that expire. `expired` is set before the muting is withdrawn from existing reports, like `deleted_at`.
ALTER TABLE mutings
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN expired boolean NOT NULL DEFAULT false;
CREATE INDEX mutings_expiry ON mutings (expires_at) WHERE expires_at IS NOT NULL AND NOT expired AND deleted_at IS NULL;

-- The number of reports in which a muting silences something.
ALTER TABLE muting_totals ADD COLUMN num_reports integer NOT NULL DEFAULT 0;
CREATE OR REPLACE FUNCTION add_up_muting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  reports_change integer := (coalesce(NEW.how_many, 0) > 0)::integer - (coalesce(OLD.how_many, 0) > 0)::integer;
BEGIN
  PERFORM pg_advisory_xact_lock(7305231);
  IF TG_OP = 'INSERT' THEN
    INSERT INTO muting_totals AS t (muting_id, how_many, num_reports) VALUES (NEW.muting_id, NEW.how_many, reports_change)
    ON CONFLICT (muting_id) DO UPDATE SET how_many = t.how_many + excluded.how_many,
      num_reports = t.num_reports + excluded.num_reports;
  ELSE
    UPDATE muting_totals SET how_many = how_many + coalesce(NEW.how_many, 0) - OLD.how_many,
      num_reports = num_reports + reports_change
    WHERE muting_id = OLD.muting_id;
  END IF;
  RETURN NULL;
END $$;
UPDATE muting_totals t SET num_reports = r.num_reports
FROM (SELECT muting_id, count(*) AS num_reports FROM report_mutings WHERE how_many > 0 GROUP BY 1) r
WHERE r.muting_id = t.muting_id;
