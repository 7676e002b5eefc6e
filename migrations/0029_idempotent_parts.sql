-- What requests with an idempotency key have done in transactions of their own, until their response is stored:
-- docs/decisions/0044-http-server.md.
CREATE TABLE idempotent_parts (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- As in idempotency_keys.
  key_hash bytea NOT NULL,
  part text NOT NULL,
  request_hash bytea NOT NULL,
  result jsonb NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key_hash, part)
);
CREATE INDEX idempotent_parts_inserted ON idempotent_parts (inserted_at);
