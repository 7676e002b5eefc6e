-- The order of issue types for people: the worst errors first, then what needs review by its impact, then warnings. The default order
-- of the API is by impact alone.
ALTER TABLE common_issues ALTER COLUMN rank SET EXPRESSION AS (
  CASE WHEN issue_type = 'error' THEN -impact_order WHEN impact_order > 0 THEN 5 - impact_order ELSE 5 END);
