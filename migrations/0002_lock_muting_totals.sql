-- Adding up mutings takes an advisory lock instead of a lock on the table, with which autovacuum conflicts: a commit waited for it.
CREATE OR REPLACE FUNCTION add_up_muting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  changed bigint := coalesce(NEW.muting_id, OLD.muting_id);
  how_many_change bigint := coalesce(NEW.how_many, 0) - coalesce(OLD.how_many, 0);
  reports_change integer := (coalesce(NEW.how_many, 0) > 0)::integer - (coalesce(OLD.how_many, 0) > 0)::integer;
BEGIN
  IF how_many_change = 0 THEN
    RETURN NULL;
  END IF;
  -- `ADVISORY_LOCKS.mutingTotals` in `src/platform/advisory-locks.ts`. One lock for all totals: the order in which a transaction
  -- changes them is the order of its statements, so locking each total would deadlock.
  PERFORM pg_advisory_xact_lock(7305234);
  INSERT INTO muting_totals AS t (muting_id, how_many, num_reports) VALUES (changed, how_many_change, reports_change)
  ON CONFLICT (muting_id) DO UPDATE SET how_many = t.how_many + excluded.how_many,
    num_reports = t.num_reports + excluded.num_reports;
  DELETE FROM muting_totals WHERE muting_id = changed AND how_many = 0 AND num_reports = 0;
  RETURN NULL;
END $function$;
