-- How often the processes have used what is limited over all of them: docs/decisions/0154-limits-over-processes.md. Not logged, because
-- it is out of date after a minute. Not part of backups.
CREATE UNLOGGED TABLE shared_counts (
  -- SHA-256 of what is limited.
  name bytea NOT NULL,
  -- A random id of the process.
  process uuid NOT NULL,
  -- The beginning of the five seconds that it counts.
  began_at timestamptz NOT NULL,
  amount integer NOT NULL,
  PRIMARY KEY (name, process, began_at)
);
CREATE INDEX shared_counts_age ON shared_counts (began_at);
