-- Who did what, for people who have to find out later. Rows are only added, and deleted when they are old.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- Without references, because entries outlive accounts, tokens and sessions.
  account_id uuid,
  actor text NOT NULL,
  actor_id text,
  address text,
  action text NOT NULL,
  path text,
  status smallint,
  request_id text
);
CREATE INDEX audit_log_account ON audit_log (account_id, id);
CREATE INDEX audit_log_age ON audit_log USING brin (inserted_at);
