-- A muting that mutes nothing has no total, so nothing has to remove the total of a deleted muting. Instead of an advisory lock,
-- whose number nobody could find, adding up locks the table that it writes to.
DROP TRIGGER mutings_total ON mutings;
DROP FUNCTION forget_muting_total();
DELETE FROM muting_totals WHERE how_many = 0 AND num_reports = 0;

-- Runs when a transaction commits: the lock is the last that it takes and held for that moment only, so that transactions
-- which change several totals cannot wait for each other.
CREATE OR REPLACE FUNCTION add_up_muting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed bigint := coalesce(NEW.muting_id, OLD.muting_id);
  how_many_change bigint := coalesce(NEW.how_many, 0) - coalesce(OLD.how_many, 0);
  reports_change integer := (coalesce(NEW.how_many, 0) > 0)::integer - (coalesce(OLD.how_many, 0) > 0)::integer;
BEGIN
  IF how_many_change = 0 THEN
    RETURN NULL;
  END IF;
  -- Readers are not locked out.
  LOCK TABLE muting_totals IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO muting_totals AS t (muting_id, how_many, num_reports) VALUES (changed, how_many_change, reports_change)
  ON CONFLICT (muting_id) DO UPDATE SET how_many = t.how_many + excluded.how_many,
    num_reports = t.num_reports + excluded.num_reports;
  DELETE FROM muting_totals WHERE muting_id = changed AND how_many = 0 AND num_reports = 0;
  RETURN NULL;
END $$;
