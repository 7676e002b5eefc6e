-- Which mutings silence an issue, in the order of their ids; null where none does. So what each of them silences can be
-- counted when it changes, exactly.
ALTER TABLE issues ADD COLUMN mutings bigint[];

-- How many places a muting silences in a report.
DELETE FROM report_mutings;
ALTER TABLE report_mutings
  DROP COLUMN web_page_id,
  DROP COLUMN common_issue_id,
  ADD COLUMN how_many bigint NOT NULL;

-- The sum over all reports. Not a column of `mutings`, whose rows are locked while walks wait for reports.
CREATE TABLE muting_totals (
  muting_id bigint PRIMARY KEY,
  how_many bigint NOT NULL
);

-- Runs when a transaction commits: the lock is the last that it takes and held for that moment only, so that transactions
-- which change several totals cannot wait for each other, and whatever changes the counts of a report changes the sum.
CREATE FUNCTION add_up_muting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305231);
  IF TG_OP = 'INSERT' THEN
    INSERT INTO muting_totals AS t (muting_id, how_many) VALUES (NEW.muting_id, NEW.how_many)
    ON CONFLICT (muting_id) DO UPDATE SET how_many = t.how_many + excluded.how_many;
  ELSE
    UPDATE muting_totals SET how_many = how_many + coalesce(NEW.how_many, 0) - OLD.how_many
    WHERE muting_id = OLD.muting_id;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER report_mutings_total AFTER INSERT OR UPDATE OR DELETE ON report_mutings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION add_up_muting();

CREATE FUNCTION forget_muting_total() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305231);
  DELETE FROM muting_totals WHERE muting_id = OLD.id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER mutings_total AFTER DELETE ON mutings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION forget_muting_total();

-- The walks over the existing reports count, and silence what quotes of another form or ids of rules match by now.
UPDATE mutings SET walk_pending = true, walked_report = DEFAULT, walked_page = NULL;
