-- Occurrences and clusters of a common issue: docs/decisions/0058-clusters-and-occurrences.md.

-- A page of occurrences is found from this index alone: counts of all issues up to it, in the order of the list.
DROP INDEX issues_common;
CREATE INDEX issues_common ON issues (common_issue_id, web_page_id, position, id) INCLUDE (muted, how_many);

-- The clusters of a common issue as they were last listed.
CREATE TABLE cluster_lists (
  common_issue_id bigint NOT NULL REFERENCES common_issues ON DELETE CASCADE,
  -- Which issues count, as in `filter[muted]`.
  muted text NOT NULL CHECK (muted IN ('false', 'true', 'all')),
  -- `updated_at` of the common issue when the list was made: the list holds as long as they are equal.
  state timestamptz NOT NULL,
  -- The largest ones in their order: [{cluster, how_many, num_web_pages, issue, place}].
  clusters jsonb NOT NULL,
  -- Places in other clusters, and in none.
  unlisted bigint NOT NULL,
  PRIMARY KEY (common_issue_id, muted)
);
