-- What re-checks fixed: docs/decisions/0059-what-a-recheck-fixed.md.

ALTER TABLE checks
  -- Of the result that the next one is compared with: its document, and the versions of its engine. Null if there is none.
  ADD COLUMN before_document bytea,
  ADD COLUMN before_engine text,
  -- What became of its places in the last re-check: {fixed, still, new, cause, checked_at}; null if they were not compared.
  ADD COLUMN recheck jsonb;

-- A bit for each place, the lowest bit of a byte first: whether it is new since the result before. Null if it was not compared.
ALTER TABLE issues ADD COLUMN new_places bytea;

-- What the result before had, and the current one has not: fixed issues; or all of them if the check has failed since.
CREATE TABLE former_issues (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  position integer NOT NULL,
  fingerprint bytea,
  issue_type text NOT NULL,
  -- Shortened.
  message text NOT NULL,
  rule_id text,
  impact text,
  -- Of the fixed places; of all places if the check has failed.
  how_many integer NOT NULL,
  is_fixed boolean NOT NULL,
  -- The fingerprints of the places if the check has failed; null if they cannot be compared.
  places bytea
);
CREATE INDEX former_issues_page ON former_issues (web_page_id, kind, position);

-- Re-checks of several pages.
CREATE TABLE rechecks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- The common issue whose pages are checked, which may be gone afterwards; null if the pages were named.
  kind text,
  common_issue_id bigint,
  fingerprint bytea,
  message text,
  num_web_pages integer NOT NULL,
  credits integer NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX rechecks_report ON rechecks (report_id, inserted_at);

-- The checks that they wait for.
CREATE TABLE recheck_checks (
  recheck_id uuid NOT NULL REFERENCES rechecks ON DELETE CASCADE,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  PRIMARY KEY (recheck_id, web_page_id, kind)
);
CREATE INDEX recheck_checks_page ON recheck_checks (web_page_id);

-- What became of those that have ended, and of their places.
CREATE TABLE recheck_counts (
  recheck_id uuid NOT NULL REFERENCES rechecks ON DELETE CASCADE,
  kind text NOT NULL,
  checked integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  -- Of the checked ones: those whose result was not compared.
  uncompared integer NOT NULL DEFAULT 0,
  fixed bigint NOT NULL DEFAULT 0,
  still bigint NOT NULL DEFAULT 0,
  new bigint NOT NULL DEFAULT 0,
  -- Of the common issue.
  issue_fixed bigint NOT NULL DEFAULT 0,
  issue_still bigint NOT NULL DEFAULT 0,
  issue_new bigint NOT NULL DEFAULT 0,
  -- When the last of them ended.
  ended_at timestamptz,
  PRIMARY KEY (recheck_id, kind)
);
