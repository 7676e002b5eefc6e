-- Mutings that also change what reports found at their end: docs/decisions/0020-mutings.md.

ALTER TABLE mutings ADD COLUMN retroactive boolean NOT NULL DEFAULT false;
-- Whether a retroactive muting mutes the issue.
ALTER TABLE issues ADD COLUMN muted_retroactively boolean NOT NULL DEFAULT false;
ALTER TABLE issues_before_recheck ADD COLUMN muted_retroactively boolean NOT NULL DEFAULT false;

CREATE OR REPLACE VIEW issues_at_end AS
SELECT i.id, i.common_issue_id, i.report_id, i.web_page_id, i.kind, k.fingerprint AS type_fingerprint, k.issue_type, k.message,
  k.rule_id, k.impact, k.rank, i.how_many, coalesce(i.muted_at_end, i.muted) OR i.muted_retroactively AS muted, i.fingerprints, i.traces
FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
WHERE NOT EXISTS (
  SELECT FROM checks_before_recheck b WHERE b.web_page_id = i.web_page_id AND b.kind = i.kind AND b.is_replaced)
UNION ALL
SELECT NULL, NULL, report_id, web_page_id, kind, type_fingerprint, issue_type, message, rule_id, impact, rank, how_many,
  muted OR muted_retroactively, fingerprints, traces
FROM issues_before_recheck;
