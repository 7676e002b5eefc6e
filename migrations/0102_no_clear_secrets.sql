-- Secrets are kept encrypted since 0032. What was never encrypted since is no longer shown; its hash still opens what it opened.
ALTER TABLE guest_accounts DROP COLUMN invitation_secret;
ALTER TABLE schedules DROP COLUMN hook_secret;
