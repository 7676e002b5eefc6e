-- Each host is crawled by one worker at a time, which keeps to the host's limit in memory.
DROP TABLE host_shares, host_lessees;

CREATE TABLE host_claims (
  host text PRIMARY KEY,
  claimed_by integer NOT NULL,
  -- Set when the worker has ended: until then its last requests count.
  free_at timestamptz
);

-- The hosts that the crawl of a report requests, as far as known: names without port and `www.`, each once.
ALTER TABLE reports ADD COLUMN crawl_hosts text[] NOT NULL DEFAULT '{}';
UPDATE reports SET crawl_hosts = ARRAY[regexp_replace(regexp_replace(domain, '\.$', ''), '^www\.(?=.*\.)', '')]
WHERE deleted_at IS NULL;
