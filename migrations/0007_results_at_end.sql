-- What a report found at its end stays: docs/decisions/0009-rechecks.md. Results that later re-checks replace are kept, and mutings
-- that change later leave the earlier counts as they were.

ALTER TABLE reports
  -- When it finished for the first time: its end. Null before, and while the crawl has found no page that could be checked.
  ADD COLUMN first_finished_at timestamptz,
  -- Whether a re-check or a muting has changed results since.
  ADD COLUMN changed_since_end boolean NOT NULL DEFAULT false,
  -- When the results at its end changed last: when it ended, or when a page was deleted.
  ADD COLUMN end_results_at timestamptz NOT NULL DEFAULT now(),
  -- `num_pages`, `checked_pages` and `passed_pages` at its end. Null before.
  ADD COLUMN num_pages_at_end integer,
  ADD COLUMN checked_pages_at_end integer,
  ADD COLUMN passed_pages_at_end integer;
UPDATE reports SET end_results_at = results_at,
  first_finished_at = CASE WHEN status <> 'failed' THEN finished_at END,
  num_pages_at_end = CASE WHEN finished_at IS NOT NULL THEN num_pages END,
  checked_pages_at_end = CASE WHEN finished_at IS NOT NULL THEN checked_pages END,
  passed_pages_at_end = CASE WHEN finished_at IS NOT NULL THEN passed_pages END;

-- The counts of `report_checks` at the report's end.
CREATE TABLE report_checks_at_end (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  kind text NOT NULL,
  checked integer NOT NULL,
  failed integer NOT NULL,
  with_errors integer NOT NULL,
  errors bigint NOT NULL,
  warnings bigint NOT NULL,
  minor bigint NOT NULL,
  moderate bigint NOT NULL,
  serious bigint NOT NULL,
  critical bigint NOT NULL,
  minor_errors bigint NOT NULL,
  moderate_errors bigint NOT NULL,
  serious_errors bigint NOT NULL,
  critical_errors bigint NOT NULL,
  PRIMARY KEY (report_id, kind)
);
INSERT INTO report_checks_at_end
SELECT c.report_id, c.kind, c.checked, c.failed, c.with_errors, c.errors, c.warnings, c.minor, c.moderate, c.serious, c.critical,
  c.minor_errors, c.moderate_errors, c.serious_errors, c.critical_errors
FROM report_checks c JOIN reports r ON r.id = c.report_id WHERE r.finished_at IS NOT NULL;

-- Pages that have been re-checked since the report's end, as they were then.
CREATE TABLE pages_before_recheck (
  web_page_id bigint PRIMARY KEY REFERENCES web_pages ON DELETE CASCADE,
  status text NOT NULL,
  http_status integer,
  document_hash bytea,
  content_type text
);

-- Their checks.
CREATE TABLE checks_before_recheck (
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  status text NOT NULL,
  error jsonb,
  engine_version text,
  resources bytea,
  -- Whether a later result has replaced the issues. Until then, they are in `issues`.
  is_replaced boolean NOT NULL DEFAULT false,
  PRIMARY KEY (web_page_id, kind)
);

-- The issues of replaced checks, with what `common_issues` said about them.
CREATE TABLE issues_before_recheck (
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  report_id uuid NOT NULL,
  -- Of the issue type.
  type_fingerprint bytea NOT NULL,
  issue_type text NOT NULL,
  message text NOT NULL,
  rule_id text,
  impact text,
  rank integer NOT NULL,
  how_many integer NOT NULL,
  muted boolean NOT NULL,
  -- As in `issues`.
  fingerprints bytea STORAGE EXTERNAL NOT NULL,
  traces bytea STORAGE EXTERNAL NOT NULL
);
CREATE INDEX issues_before_recheck_page ON issues_before_recheck (web_page_id, kind);

-- Whether the issue was muted at the report's end, if that has changed since. Null while it has not.
ALTER TABLE issues ADD COLUMN muted_at_end boolean;

CREATE VIEW web_pages_at_end AS
SELECT p.id, p.report_id, p.url, p.title,
  CASE WHEN b.web_page_id IS NULL THEN p.status ELSE b.status END AS status,
  CASE WHEN b.web_page_id IS NULL THEN p.http_status ELSE b.http_status END AS http_status,
  CASE WHEN b.web_page_id IS NULL THEN p.document_hash ELSE b.document_hash END AS document_hash,
  CASE WHEN b.web_page_id IS NULL THEN p.content_type ELSE b.content_type END AS content_type
FROM web_pages p LEFT JOIN pages_before_recheck b ON b.web_page_id = p.id;

CREATE VIEW checks_at_end AS
SELECT c.web_page_id, c.kind,
  CASE WHEN b.kind IS NULL THEN c.status ELSE b.status END AS status,
  CASE WHEN b.kind IS NULL THEN c.error ELSE b.error END AS error,
  CASE WHEN b.kind IS NULL THEN c.engine_version ELSE b.engine_version END AS engine_version,
  CASE WHEN b.kind IS NULL THEN c.resources ELSE b.resources END AS resources
FROM checks c LEFT JOIN checks_before_recheck b ON b.web_page_id = c.web_page_id AND b.kind = c.kind;

CREATE VIEW issues_at_end AS
SELECT i.id, i.common_issue_id, i.report_id, i.web_page_id, i.kind, k.fingerprint AS type_fingerprint, k.issue_type, k.message,
  k.rule_id, k.impact, k.rank, i.how_many, coalesce(i.muted_at_end, i.muted) AS muted, i.fingerprints, i.traces
FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
WHERE NOT EXISTS (
  SELECT FROM checks_before_recheck b WHERE b.web_page_id = i.web_page_id AND b.kind = i.kind AND b.is_replaced)
UNION ALL
SELECT NULL, NULL, report_id, web_page_id, kind, type_fingerprint, issue_type, message, rule_id, impact, rank, how_many, muted,
  fingerprints, traces
FROM issues_before_recheck;

ALTER TABLE diffs
  -- Which results of the report it compares: the results at its end, the results now, or both while they are the same. The results
  -- of the earlier report are always the results at its end.
  ADD COLUMN is_end boolean NOT NULL DEFAULT true,
  ADD COLUMN is_now boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT diffs_of_some_results CHECK (is_end OR is_now),
  DROP CONSTRAINT diffs_report_id_with_id_key;
DROP INDEX diffs_previous;
CREATE UNIQUE INDEX diffs_end ON diffs (report_id, with_id) WHERE is_end;
CREATE UNIQUE INDEX diffs_now ON diffs (report_id, with_id) WHERE is_now;
CREATE UNIQUE INDEX diffs_previous_end ON diffs (report_id) WHERE is_previous AND is_end;
CREATE UNIQUE INDEX diffs_previous_now ON diffs (report_id) WHERE is_previous AND is_now;
