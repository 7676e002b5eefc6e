-- The contract's counts by impact include findings that need review. These count errors alone.
ALTER TABLE checks
  ADD COLUMN minor_errors integer NOT NULL DEFAULT 0,
  ADD COLUMN moderate_errors integer NOT NULL DEFAULT 0,
  ADD COLUMN serious_errors integer NOT NULL DEFAULT 0,
  ADD COLUMN critical_errors integer NOT NULL DEFAULT 0;
ALTER TABLE report_checks
  ADD COLUMN minor_errors bigint NOT NULL DEFAULT 0 CHECK (minor_errors >= 0),
  ADD COLUMN moderate_errors bigint NOT NULL DEFAULT 0 CHECK (moderate_errors >= 0),
  ADD COLUMN serious_errors bigint NOT NULL DEFAULT 0 CHECK (serious_errors >= 0),
  ADD COLUMN critical_errors bigint NOT NULL DEFAULT 0 CHECK (critical_errors >= 0);

UPDATE checks c SET minor_errors = s.minor, moderate_errors = s.moderate, serious_errors = s.serious, critical_errors = s.critical
FROM (
  SELECT i.web_page_id, i.kind,
    coalesce(sum(i.how_many) FILTER (WHERE k.impact = 'minor'), 0) AS minor,
    coalesce(sum(i.how_many) FILTER (WHERE k.impact = 'moderate'), 0) AS moderate,
    coalesce(sum(i.how_many) FILTER (WHERE k.impact = 'serious'), 0) AS serious,
    coalesce(sum(i.how_many) FILTER (WHERE k.impact = 'critical'), 0) AS critical
  FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
  WHERE NOT i.muted AND k.issue_type = 'error' AND k.impact IS NOT NULL GROUP BY i.web_page_id, i.kind
) s WHERE c.web_page_id = s.web_page_id AND c.kind = s.kind AND c.errors > 0;

UPDATE report_checks r SET minor_errors = s.minor, moderate_errors = s.moderate, serious_errors = s.serious, critical_errors = s.critical
FROM (
  SELECT report_id, kind, sum(minor_errors) AS minor, sum(moderate_errors) AS moderate, sum(serious_errors) AS serious,
    sum(critical_errors) AS critical
  FROM checks WHERE errors > 0 GROUP BY report_id, kind
) s WHERE r.report_id = s.report_id AND r.kind = s.kind;
