-- Places of pages that the earlier report did not check are no longer counted as if it had them: docs/numbers.md.
ALTER TABLE comparisons ADD COLUMN found_again bigint NOT NULL DEFAULT 0;

-- All reports are compared again.
DELETE FROM comparisons WHERE NOT is_previous;
UPDATE reports r SET answers_pending = true
WHERE status = 'finished' AND deleted_at IS NULL AND EXISTS (
  SELECT FROM comparisons c WHERE c.report_id = r.id AND c.is_previous);
