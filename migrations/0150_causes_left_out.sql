-- How many causes of errors of each check the plan of fixes leaves out: docs/decisions/0055-what-to-fix-first.md.
ALTER TABLE report_checks ADD COLUMN causes_left_out integer NOT NULL DEFAULT 0;
-- Plans that ended at 20, the limit before.
UPDATE reports r SET answers_pending = true
WHERE r.status = 'finished' AND r.deleted_at IS NULL AND (SELECT count(*) FROM fixes f WHERE f.report_id = r.id) >= 20;
