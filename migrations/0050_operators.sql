-- The account that acted, if it is not the account that the entry concerns: an operator who changed another account.
ALTER TABLE audit_log ADD COLUMN actor_account_id uuid;
-- No query uses it: old entries are found by their ids.
DROP INDEX audit_log_age;

-- The operators that have yet to receive the email that scheduled backups fail, or work again.
ALTER TABLE installation ADD COLUMN backup_notify uuid[] NOT NULL DEFAULT '{}';
