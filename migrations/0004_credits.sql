-- The ledger. The sum of an account's entries is its balance, `accounts.credits`, at every moment; 0 where it is unlimited.
CREATE TABLE credit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Below 0 for what was spent.
  amount bigint NOT NULL,
  reason text NOT NULL,
  -- The balance after this entry; null when it became unlimited.
  balance bigint CHECK (balance >= 0),
  -- What the credits were spent on. Entries outlive their reports.
  report_id uuid,
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX credit_entries_account ON credit_entries (account_id, id DESC);

ALTER TABLE accounts ADD CHECK (credits >= 0);
INSERT INTO credit_entries (account_id, amount, reason, balance)
  SELECT id, credits, 'granted', credits FROM accounts WHERE credits > 0;

-- What a check that still waits has cost, to be given back should it never run.
ALTER TABLE checks
  -- The account whose credits were taken; null where they were unlimited.
  ADD COLUMN paid_by uuid,
  -- The month in which it counts as a guest's usage; null for who is no guest.
  ADD COLUMN usage_month date;

-- API requests that do not make up a whole credit yet.
CREATE TABLE api_usage (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  requests integer NOT NULL
);
