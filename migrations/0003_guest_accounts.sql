-- A share in the host's plan and credits, first offered by an invitation, then used by the account that accepted it.
CREATE TABLE guest_accounts (
  -- Also called the guest token.
  id text PRIMARY KEY CHECK (id ~ '^G[0-9A-F]{9}$'),
  host_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  guest_id uuid REFERENCES accounts ON DELETE CASCADE,
  -- As it is, not hashed: the host may look at the invitation again. It is worth nothing once accepted.
  invitation_secret text NOT NULL UNIQUE,
  -- Credits a month.
  max_usage bigint NOT NULL CHECK (max_usage > 0),
  -- Credits used in `usage_month`, the first day of a month in UTC. In any other month it counts as 0, so that nothing
  -- has to run when a month begins.
  usage bigint NOT NULL DEFAULT 0 CHECK (usage >= 0),
  usage_month date NOT NULL DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC'),
  accepted_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Set when the host ends the sharing. The row stays, because reports name it.
  deleted_at timestamptz,
  CHECK (guest_id <> host_id),
  CHECK ((guest_id IS NULL) = (accepted_at IS NULL))
);
CREATE INDEX guest_accounts_host ON guest_accounts (host_id, inserted_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX guest_accounts_guest ON guest_accounts (guest_id, accepted_at DESC, id DESC) WHERE deleted_at IS NULL;

-- The guest account under which a report was made: its host reads, manages and pays for the report.
ALTER TABLE reports ADD COLUMN guest_account_id text REFERENCES guest_accounts ON DELETE SET NULL;
CREATE INDEX reports_guest_account ON reports (guest_account_id, last_checked_at DESC NULLS FIRST, id DESC)
  WHERE guest_account_id IS NOT NULL AND deleted_at IS NULL;
