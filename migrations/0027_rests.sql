-- IF NOT EXISTS: for a short while, 0024 brought both of these.

-- Until when the site asked the report to be left alone: turns before that are void.
ALTER TABLE reports ADD COLUMN IF NOT EXISTS rests_until timestamptz;
-- Checks on devices whose turn is far are passed over.
CREATE INDEX IF NOT EXISTS reports_on_devices ON reports (id)
  WHERE device_id IS NOT NULL AND status IN ('pending', 'crawling', 'checking');
