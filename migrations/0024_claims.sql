-- Whether reports wait for a process that can sign in to their sites is asked every few seconds.
CREATE INDEX reports_signing_in ON reports (id)
  WHERE site_access IS NOT NULL AND status IN ('pending', 'crawling', 'checking');

-- Until when the site asked the report to be left alone: turns before that are void.
ALTER TABLE reports ADD COLUMN rests_until timestamptz;
-- Checks on devices whose turn is far are passed over.
CREATE INDEX reports_on_devices ON reports (id)
  WHERE device_id IS NOT NULL AND status IN ('pending', 'crawling', 'checking');
