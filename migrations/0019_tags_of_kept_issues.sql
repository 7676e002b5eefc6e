-- The tags of kept issues whose issue type is no longer in their report: rules have the same tags in all reports.
CREATE TEMPORARY TABLE rule_tags ON COMMIT DROP AS
  SELECT DISTINCT ON (kind, rule_id) kind, rule_id, tags FROM common_issues WHERE rule_id IS NOT NULL ORDER BY kind, rule_id, id DESC;
UPDATE issues_before_recheck b SET tags = r.tags FROM rule_tags r WHERE b.tags = '{}' AND r.kind = b.kind AND r.rule_id = b.rule_id;
UPDATE former_issues f SET tags = r.tags FROM rule_tags r WHERE f.tags = '{}' AND r.kind = f.kind AND r.rule_id = f.rule_id;
