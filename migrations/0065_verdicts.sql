-- Whether the run of a schedule is a bad one: docs/decisions/0065-what-broke.md.
ALTER TABLE reports
  -- `fail_on` of the schedule when it created the report; null for other reports.
  ADD COLUMN fail_on text[],
  -- Issues and unchecked pages that make the run a bad one. Computed when the report ends.
  ADD COLUMN num_failing bigint;
UPDATE reports r SET fail_on = s.fail_on, answers_pending = answers_pending OR (r.status = 'finished' AND r.deleted_at IS NULL)
FROM schedules s WHERE s.id = r.schedule_id;
