-- How calls of the deploy hook must be signed, and the secret for it, encrypted. Null: the URL is enough.
ALTER TABLE schedules
  ADD COLUMN hook_signature text,
  ADD COLUMN hook_signing_sealed bytea,
  ADD CHECK ((hook_signature IS NULL) = (hook_signing_sealed IS NULL));
