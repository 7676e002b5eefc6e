-- Why a schedule's last run created no report is stored as {"code", "params"}, as all failures are. The code "legacy" keeps
-- the sentences of earlier versions.
ALTER TABLE schedules ADD COLUMN last_run_failure jsonb;
UPDATE schedules SET last_run_failure = jsonb_build_object('code', 'legacy', 'params', jsonb_build_object('text', last_run_error))
WHERE last_run_error IS NOT NULL;
ALTER TABLE schedules DROP COLUMN last_run_error;
ALTER TABLE schedules RENAME COLUMN last_run_failure TO last_run_error;
