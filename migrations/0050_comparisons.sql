-- What changed between two reports: docs/decisions/0054-life-cycle-of-issues.md.

CREATE TABLE comparisons (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  with_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- Whether it is the comparison with the previous report of the site.
  is_previous boolean NOT NULL,
  -- When the two reports were in the states that were compared.
  report_state timestamptz NOT NULL,
  with_state timestamptz NOT NULL,
  -- Places of errors and warnings.
  new bigint NOT NULL DEFAULT 0,
  persisting bigint NOT NULL DEFAULT 0,
  fixed bigint NOT NULL DEFAULT 0,
  regressed bigint NOT NULL DEFAULT 0,
  unverified bigint NOT NULL DEFAULT 0,
  -- New and regressed places of critical errors; the same of all errors.
  worse_critical bigint NOT NULL DEFAULT 0,
  worse_errors bigint NOT NULL DEFAULT 0,
  UNIQUE (report_id, with_id)
);
CREATE UNIQUE INDEX comparisons_previous ON comparisons (report_id) WHERE is_previous;
CREATE INDEX comparisons_with ON comparisons (with_id);

CREATE TABLE issue_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  comparison_id bigint NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  position integer NOT NULL,
  kind text NOT NULL,
  fingerprint bytea NOT NULL,
  change text NOT NULL,
  cause text NOT NULL,
  issue_type text NOT NULL,
  message text NOT NULL,
  rule_id text,
  impact text,
  how_many bigint NOT NULL,
  how_many_before bigint NOT NULL,
  num_web_pages integer NOT NULL,
  num_web_pages_before integer NOT NULL,
  UNIQUE (comparison_id, position)
);

-- When a kind of issue was first found on a site.
CREATE TABLE first_sightings (
  site_id uuid NOT NULL REFERENCES sites ON DELETE CASCADE,
  fingerprint bytea NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, fingerprint)
);

-- Of the comparison with the previous report; null until it is made, or without one.
ALTER TABLE common_issues ADD COLUMN change text, ADD COLUMN first_seen_at timestamptz;

-- Until when no other process computes the answers of the report.
ALTER TABLE reports ADD COLUMN answers_claimed_until timestamptz;
