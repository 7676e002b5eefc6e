ALTER TABLE installation
  -- When the last scheduled backup was begun that was written as a whole.
  ADD COLUMN backup_at timestamptz,
  -- When the last attempt failed since then, and why.
  ADD COLUMN backup_failed_at timestamptz,
  ADD COLUMN backup_error text;
