-- Whether reports wait for a process that can sign in to their sites is asked every few seconds.
CREATE INDEX reports_signing_in ON reports (id)
  WHERE site_access IS NOT NULL AND status IN ('pending', 'crawling', 'checking');
