-- The database has one key for what is stored encrypted. The first process that starts records it, and every later one
-- compares its own (`src/store/database-key.ts`).
CREATE TABLE secret_key (
  -- One row at most.
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- What everything begins with that the key encrypts.
  key_id bytea NOT NULL
);
-- It found the reports that wait for a process with their key.
DROP INDEX IF EXISTS reports_signing_in;
