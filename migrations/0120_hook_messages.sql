-- The signed ids of calls of deploy hooks, so that a call that is repeated creates no second report.
CREATE TABLE hook_messages (
  schedule_id uuid NOT NULL REFERENCES schedules ON DELETE CASCADE,
  id_hash bytea NOT NULL,
  report_id uuid NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schedule_id, id_hash)
);
CREATE INDEX hook_messages_by_age ON hook_messages (received_at);
