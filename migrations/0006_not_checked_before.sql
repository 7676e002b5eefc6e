-- Occurrences that the earlier report could not have found are neither new nor found again: docs/decisions/0054-report-comparison.md.

ALTER TABLE diffs RENAME COLUMN found_again TO not_checked_before;

-- New and regressed occurrences that the settings of the two reports don't explain.
ALTER TABLE issue_changes ADD COLUMN worse bigint NOT NULL DEFAULT 0;
UPDATE issue_changes SET
  worse = coalesce((occurrences ->> 'new')::bigint, 0) + coalesce((occurrences ->> 'regressed')::bigint, 0),
  change = CASE change WHEN 'found_again' THEN 'not_checked_before' ELSE change END,
  occurrences = CASE WHEN occurrences ? 'found_again'
    THEN (occurrences - 'found_again') || jsonb_build_object('not_checked_before', occurrences -> 'found_again') ELSE occurrences END;
UPDATE changed_issues SET change = 'not_checked_before' WHERE change = 'found_again';
UPDATE common_issues SET
  change = CASE change WHEN 'found_again' THEN 'not_checked_before' ELSE change END,
  changed_occurrences = CASE WHEN changed_occurrences ? 'found_again'
    THEN (changed_occurrences - 'found_again') || jsonb_build_object('not_checked_before', changed_occurrences -> 'found_again')
    ELSE changed_occurrences END
WHERE change = 'found_again' OR changed_occurrences ? 'found_again';
