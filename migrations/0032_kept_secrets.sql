-- The secrets of invitations and deploy hooks are found by their hashes, and shown again from what only the key of the
-- installation opens. A server that starts seals what is still in the clear and clears it (`src/store/kept-secrets.ts`).
ALTER TABLE guest_accounts
  ADD COLUMN invitation_hash bytea,
  -- Null once it was accepted or deleted: nobody needs to see it again.
  ADD COLUMN invitation_sealed bytea,
  ALTER COLUMN invitation_secret DROP NOT NULL;
UPDATE guest_accounts SET invitation_hash = sha256(convert_to(invitation_secret, 'UTF8'));
UPDATE guest_accounts SET invitation_secret = NULL WHERE guest_id IS NOT NULL OR deleted_at IS NOT NULL;
ALTER TABLE guest_accounts
  ALTER COLUMN invitation_hash SET NOT NULL,
  ADD CONSTRAINT guest_accounts_invitation_hash_key UNIQUE (invitation_hash),
  DROP CONSTRAINT guest_accounts_invitation_secret_key;

ALTER TABLE schedules
  ADD COLUMN hook_hash bytea,
  ADD COLUMN hook_sealed bytea,
  ALTER COLUMN hook_secret DROP NOT NULL;
UPDATE schedules SET hook_hash = sha256(convert_to(hook_secret, 'UTF8'));
ALTER TABLE schedules ALTER COLUMN hook_hash SET NOT NULL;

-- Few rows of these tables need it in their life.
CREATE INDEX guest_accounts_in_the_clear ON guest_accounts (id) WHERE invitation_secret IS NOT NULL;
CREATE INDEX schedules_in_the_clear ON schedules (id) WHERE hook_secret IS NOT NULL;
