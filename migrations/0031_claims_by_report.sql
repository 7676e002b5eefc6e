-- Claims take up to eight pages of a report together, so that their results can be saved together:
-- docs/decisions/0003-job-queue.md.
DROP INDEX checks_free;
CREATE INDEX checks_free ON checks (kind, payer_id, ((turn - 1) / 8), report_id, turn)
  WHERE status = 'pending' AND runnable AND claimed_by IS NULL;
