-- Leads a database at migration 0187 of the unreleased versions to the schema of `0001_schema.sql`.

-- Who pays is written by the code that inserts reports and checks. Until now, a check that had never waited had no payer.
DROP TRIGGER report_payer ON reports;
DROP FUNCTION set_report_payer();
DROP TRIGGER check_payer ON checks;
DROP FUNCTION set_check_payer();
UPDATE checks c SET payer_id = r.payer_id FROM reports r WHERE r.id = c.report_id AND c.payer_id IS NULL;
ALTER TABLE checks ALTER COLUMN payer_id SET NOT NULL;

-- The functions that write discovered URLs count their outcomes: `src/store/reports/discovered-urls.ts`.
DROP TRIGGER discovered_urls_inserted ON discovered_urls;
DROP FUNCTION count_new_discovered_urls();
DROP TRIGGER discovered_urls_updated ON discovered_urls;
DROP FUNCTION count_changed_discovered_urls();

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

-- One word for one thing: the stored comparison of two reports is a diff, what is computed when a report ends are its insights, and
-- a place where an issue was found is an occurrence.
ALTER TABLE comparisons RENAME TO diffs;
ALTER TABLE changed_issues RENAME COLUMN comparison_id TO diff_id;
ALTER TABLE changed_pages RENAME COLUMN comparison_id TO diff_id;
ALTER TABLE issue_changes RENAME COLUMN comparison_id TO diff_id;
ALTER TABLE issue_changes RENAME COLUMN sample_place TO sample_occurrence;
ALTER TABLE reports RENAME COLUMN answers_pending TO insights_pending;
ALTER TABLE reports RENAME COLUMN answers_claimed_until TO insights_claimed_until;
ALTER TABLE issues RENAME COLUMN new_places TO new_occurrences;
ALTER TABLE former_issues RENAME COLUMN places TO occurrences;
ALTER TABLE cluster_places RENAME TO cluster_occurrences;

-- Lists of clusters, whose entries name an occurrence by `occurrence` now, are made again when they are next read.
DELETE FROM cluster_lists;

UPDATE issue_changes SET
  cause = replace(cause, 'too_many_places', 'too_many_occurrences'),
  causes = replace(causes::text, 'too_many_places', 'too_many_occurrences')::jsonb
WHERE cause = 'too_many_places' OR causes ? 'too_many_places';

DO $$
DECLARE
  old record;
  renamed text;
BEGIN
  FOR old IN
    SELECT 'ALTER TABLE ' || conrelid::regclass || ' RENAME CONSTRAINT' AS statement, conname AS name FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0
    UNION ALL
    SELECT CASE relkind WHEN 'S' THEN 'ALTER SEQUENCE ' ELSE 'ALTER INDEX ' END || oid::regclass || ' RENAME', relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('i', 'S')
      AND oid NOT IN (SELECT conindid FROM pg_constraint WHERE contype IN ('p', 'u'))
  LOOP
    renamed := replace(replace(replace(replace(replace(old.name,
      'comparisons', 'diffs'), 'comparison', 'diff'), 'cluster_places', 'cluster_occurrences'), 'answers', 'insights'),
      'new_places', 'new_occurrences');
    CONTINUE WHEN renamed = old.name;
    EXECUTE CASE WHEN old.statement LIKE '%CONSTRAINT' THEN format('%s %I TO %I', old.statement, old.name, renamed)
      ELSE format('%s TO %I', old.statement, renamed) END;
  END LOOP;
END $$;

-- The statements that find sites compute their keys: `src/store/reports/sites.ts`.
DROP FUNCTION site_key(jsonb, jsonb);
