-- How a decision changes what counts: `error` if it makes errors of other occurrences, `not_an_error` if they don't count. Null:
-- neither.
ALTER TABLE common_issues ADD COLUMN decided text GENERATED ALWAYS AS (
  CASE WHEN verdict = 'not_an_error' THEN verdict WHEN verdict = 'error' AND found_type <> 'error' THEN verdict END) STORED;
-- As in `common_issues`. `found_fingerprint` is null without a verdict.
ALTER TABLE issues_before_recheck ADD COLUMN found_fingerprint bytea, ADD COLUMN decided text;

CREATE OR REPLACE VIEW issues_at_end AS
SELECT i.id, i.common_issue_id, i.report_id, i.web_page_id, i.kind, k.fingerprint AS type_fingerprint, k.issue_type, k.message,
  k.rule_id, k.impact, k.rank, i.how_many,
  coalesce(i.muted_at_end, i.muted) OR i.muted_retroactively OR k.uncounted AS muted, k.outside_standard, i.fingerprints, i.traces,
  coalesce(k.found_fingerprint, k.fingerprint) AS found_fingerprint, k.decided
FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
WHERE NOT EXISTS (
  SELECT FROM checks_before_recheck b WHERE b.web_page_id = i.web_page_id AND b.kind = i.kind AND b.is_replaced)
UNION ALL
SELECT NULL, NULL, report_id, web_page_id, kind, type_fingerprint, issue_type, message, rule_id, impact, rank, how_many,
  muted OR muted_retroactively OR outside_standard, outside_standard, fingerprints, traces,
  coalesce(found_fingerprint, type_fingerprint), decided
FROM issues_before_recheck;

-- Occurrences that decisions have changed, by effect: of an issue type without zeros, and their sums.
ALTER TABLE issue_changes ADD COLUMN decided jsonb NOT NULL DEFAULT '{}';
ALTER TABLE diffs ADD COLUMN decided jsonb NOT NULL
  DEFAULT '{"error": 0, "not_an_error": 0, "error_before": 0, "not_an_error_before": 0}';

-- Decisions that were undone, because they mark the next run of their site.
CREATE TABLE undone_decisions (
  site_id uuid NOT NULL REFERENCES sites ON DELETE CASCADE,
  decided_at timestamptz NOT NULL,
  undone_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX undone_decisions_site ON undone_decisions (site_id, undone_at);

-- Common issues that no longer exist because decisions moved all their occurrences to others, so that their ids still lead there.
CREATE TABLE former_common_issues (
  id bigint PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  kind text NOT NULL,
  -- Of the issue type as the check found it.
  found_fingerprint bytea NOT NULL
);
CREATE INDEX former_common_issues_report ON former_common_issues (report_id);
