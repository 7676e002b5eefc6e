-- Reports are measured by a standard: docs/decisions/0137-standards.md. Issues of other rules are muted by the standard itself.

ALTER TABLE reports
  -- The accessibility standard whose rules count. Null: all rules count.
  ADD COLUMN standard text,
  -- Whether best practices count in addition to the standard.
  ADD COLUMN best_practices boolean NOT NULL DEFAULT false,
  -- `standard` when the report was created: the rules that it needs have run.
  ADD COLUMN tested_standard text;

-- Whether the rule does not belong to the report's standard: all issues are then `muted`.
ALTER TABLE common_issues ADD COLUMN outside_standard boolean NOT NULL DEFAULT false;
ALTER TABLE issues_before_recheck
  ADD COLUMN outside_standard boolean NOT NULL DEFAULT false,
  -- Of the issue type.
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
UPDATE issues_before_recheck b SET tags = c.tags
FROM common_issues c WHERE c.report_id = b.report_id AND c.kind = b.kind AND c.fingerprint = b.type_fingerprint;
ALTER TABLE cluster_lists DROP CONSTRAINT cluster_lists_muted_check,
  ADD CONSTRAINT cluster_lists_muted_check CHECK (muted IN ('false', 'true', 'outside_standard', 'all'));
-- The same for results that wait for a check that succeeds.
ALTER TABLE former_issues ADD COLUMN tags text[] NOT NULL DEFAULT '{}';

DROP VIEW issues_at_end;
CREATE VIEW issues_at_end AS
SELECT i.id, i.common_issue_id, i.report_id, i.web_page_id, i.kind, k.fingerprint AS type_fingerprint, k.issue_type, k.message,
  k.rule_id, k.impact, k.rank, i.how_many,
  coalesce(i.muted_at_end, i.muted) OR i.muted_retroactively OR k.outside_standard AS muted, k.outside_standard, i.fingerprints, i.traces
FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
WHERE NOT EXISTS (
  SELECT FROM checks_before_recheck b WHERE b.web_page_id = i.web_page_id AND b.kind = i.kind AND b.is_replaced)
UNION ALL
SELECT NULL, NULL, report_id, web_page_id, kind, type_fingerprint, issue_type, message, rule_id, impact, rank, how_many,
  muted OR muted_retroactively OR outside_standard, outside_standard, fingerprints, traces
FROM issues_before_recheck;

-- What new reports of the account are measured by unless they set it. Until someone has chosen it: by the installation's standard.
ALTER TABLE accounts
  ADD COLUMN standard text,
  ADD COLUMN best_practices boolean NOT NULL DEFAULT false,
  ADD COLUMN standard_chosen boolean NOT NULL DEFAULT false;
