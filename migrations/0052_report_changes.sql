-- The transaction that last changed a report. Compared with a snapshot, it tells exactly whether a reader has seen the change,
-- whichever transactions committed in between. Null: not changed since this column exists.
ALTER TABLE reports ADD COLUMN changed_xid xid8;
ALTER TABLE reports ALTER COLUMN changed_xid SET DEFAULT pg_current_xact_id();
CREATE INDEX reports_changed ON reports (account_id, changed_xid) WHERE deleted_at IS NULL;
CREATE INDEX reports_guest_changed ON reports (guest_account_id, changed_xid)
  WHERE guest_account_id IS NOT NULL AND deleted_at IS NULL;

-- Reports that an account can no longer see, kept for a day, so that readers who were away learn of it.
CREATE TABLE report_absences (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Null: an unknown number of reports.
  report_id uuid,
  changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX report_absences_account ON report_absences (account_id, changed_xid);
CREATE INDEX report_absences_inserted ON report_absences (inserted_at);
