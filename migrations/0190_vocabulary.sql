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
