-- Operators, accounts that are disabled or being deleted, and the processes of the installation: docs/decisions/0151-operators.md.
ALTER TABLE accounts
  -- Whether it may see and manage the whole installation.
  ADD COLUMN operator boolean NOT NULL DEFAULT false,
  -- Since when no one can use it; null while it is in use.
  ADD COLUMN disabled_at timestamptz,
  -- Since when it is deleted, which also disables it: everything that it owns is removed in the background, its row last. Not
  -- named like the columns of other tables, with which statements of earlier versions join it.
  ADD COLUMN deleting_since timestamptz;
CREATE INDEX accounts_disabled ON accounts (id) WHERE disabled_at IS NOT NULL;
-- The first account belongs to the operator.
UPDATE accounts SET operator = true WHERE id = (SELECT id FROM accounts ORDER BY inserted_at, id LIMIT 1);

-- The processes that work on reports. A process whose advisory lock is gone has ended; its row is kept for some days.
CREATE TABLE workers (
  -- From `worker_ids`. A process gets another one when it loses its connection.
  id integer PRIMARY KEY,
  -- The name of its machine.
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  -- `serve`, `work` or another command.
  command text NOT NULL,
  -- The kinds of checks that it runs.
  engines text[] NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  -- When another process noticed that it has ended, or when it said so itself; null until then.
  ended_at timestamptz
);

-- What reports take up, measured when their insights are computed. Indexes do not count.
CREATE TABLE report_sizes (
  report_id uuid PRIMARY KEY REFERENCES reports ON DELETE CASCADE,
  -- Pages, checks, issues and everything else of which each report has its own.
  results_bytes bigint NOT NULL,
  -- Documents and screenshots of which no older report has the same.
  documents_bytes bigint NOT NULL,
  screenshots_bytes bigint NOT NULL,
  measured_at timestamptz NOT NULL DEFAULT now()
);
