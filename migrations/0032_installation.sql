-- The state of the installation, which all processes share.
CREATE TABLE installation (
  -- Allows only one row.
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- Since when schedules, notifications and work rest; null while they run.
  paused_at timestamptz
);
INSERT INTO installation DEFAULT VALUES;
