-- Pages that could be checked in the earlier report and not in this one, and the other way round:
-- docs/decisions/0065-what-broke.md.
ALTER TABLE comparisons
  ADD COLUMN broken_pages integer NOT NULL DEFAULT 0,
  ADD COLUMN recovered_pages integer NOT NULL DEFAULT 0;
-- Compare again what was compared without them.
UPDATE reports SET answers_pending = true
WHERE status = 'finished' AND deleted_at IS NULL AND id IN (SELECT report_id FROM comparisons WHERE is_previous);
