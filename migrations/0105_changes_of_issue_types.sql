-- A comparison has a row for each issue type, with how many of its occurrences have each change: docs/decisions/0054-life-cycle-of-issues.md.
-- All reports are compared again.
DELETE FROM comparisons;
UPDATE reports SET answers_pending = true WHERE status = 'finished' AND deleted_at IS NULL;

DROP INDEX issue_changes_list;
ALTER TABLE issue_changes
  -- Occurrences by change, and those that changed by cause: objects without zeros.
  ADD COLUMN occurrences jsonb NOT NULL,
  ADD COLUMN causes jsonb NOT NULL;
CREATE UNIQUE INDEX issue_changes_list ON issue_changes (comparison_id, position)
  INCLUDE (id, kind, change, occurrences);
CREATE INDEX issue_changes_type ON issue_changes (comparison_id, kind, fingerprint);

-- Of the comparison with the previous report, like `change`.
ALTER TABLE common_issues ADD COLUMN changed_occurrences jsonb, ADD COLUMN how_many_before bigint;
UPDATE common_issues SET change = NULL WHERE change IS NOT NULL;
