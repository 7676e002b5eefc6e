-- A report definition that is run again and again: at 00:00 UTC of some days, or by a deploy hook.
CREATE TABLE schedules (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- What its reports are made of, as the program knows it: a new attribute of reports needs no column here.
  definition jsonb NOT NULL,
  -- Null for one that runs only by its deploy hook.
  periodicity jsonb,
  active boolean NOT NULL,
  -- Null when it will not run by itself.
  next_run_at timestamptz,
  -- The last time that a report was made of it.
  last_run_at timestamptz,
  -- Why the last attempt made no report; null when it did.
  last_run_error text,
  -- As it is, not hashed: the owner may look at the deploy hook's address again. It can start a report and no more.
  hook_secret text NOT NULL,
  hook_called_at timestamptz,
  -- The report of the last call. Without a foreign key: the removal of a report need not wait for its schedule.
  hook_report_id uuid,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (next_run_at IS NULL OR (active AND periodicity IS NOT NULL))
);
CREATE INDEX schedules_account ON schedules (account_id, id DESC);
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL;

-- The schedule that made the report; reports outlive their schedule.
ALTER TABLE reports ADD COLUMN schedule_id uuid REFERENCES schedules ON DELETE SET NULL;
CREATE INDEX reports_schedule ON reports (schedule_id, last_checked_at DESC NULLS FIRST, id DESC)
  WHERE schedule_id IS NOT NULL;
