-- The first answers to POST requests with an `Idempotency-Key`, for as long as a repetition gets them again.
CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- SHA-256 of the key. The key itself opens the answer, so it is not kept.
  key_hash bytea NOT NULL,
  -- SHA-256 of method, address and body.
  request_hash bytea NOT NULL,
  -- Encrypted with the key. Never null once the transaction that made the row has committed.
  answer bytea,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX idempotency_keys_inserted ON idempotency_keys (inserted_at);
