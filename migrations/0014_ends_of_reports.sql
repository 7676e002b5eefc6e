-- Reports that were being re-checked when ends began to be recorded end when the re-check does: docs/decisions/0009-rechecks.md.
UPDATE reports SET first_finished_at = NULL WHERE status = 'checking' AND NOT changed_since_end;

-- The same as `num_pages`: re-checks add no pages, and a deleted page is deleted from both.
ALTER TABLE reports DROP COLUMN num_pages_at_end;
