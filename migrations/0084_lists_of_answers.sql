-- Where the places of a cluster are, for pages of its occurrences: docs/decisions/0058-clusters-and-occurrences.md. Kept when they
-- are first listed, and valid as `cluster_lists` are.
CREATE TABLE cluster_places (
  common_issue_id bigint NOT NULL REFERENCES common_issues ON DELETE CASCADE,
  muted text NOT NULL CHECK (muted IN ('false', 'true', 'all')),
  cluster bytea NOT NULL,
  state timestamptz NOT NULL,
  -- The issues with such places, in the order of the list.
  issues bigint[] NOT NULL,
  -- Of each of them, how many such places there are up to its last one.
  ends bigint[] NOT NULL,
  PRIMARY KEY (common_issue_id, muted, cluster)
);

-- A page of what changed, and the numbers of each change, are found from this index alone. It needs vacuumed rows for that.
ALTER TABLE issue_changes DROP CONSTRAINT issue_changes_comparison_id_position_key;
CREATE UNIQUE INDEX issue_changes_list ON issue_changes (comparison_id, position)
  INCLUDE (id, kind, change, how_many, how_many_before);
ALTER TABLE issue_changes SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

-- Changes lead to the common issues with their fingerprints.
CREATE INDEX common_issues_fingerprint ON common_issues (report_id, kind, fingerprint);
