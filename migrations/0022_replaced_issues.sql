-- Issues that decisions have split or put together again, so that the ids of their occurrences, which clients have read, still lead
-- to these occurrences.
CREATE TABLE replaced_issues (
  -- The former id in `issues`.
  issue_id bigint PRIMARY KEY,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  -- As they were in `issues`.
  position integer NOT NULL,
  found_positions integer[]
);
CREATE INDEX replaced_issues_page ON replaced_issues (web_page_id, kind);
