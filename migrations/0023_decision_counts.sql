-- Counts the occurrences of a decision in one report without reading its issues in other reports.
DROP INDEX issues_decision;
CREATE INDEX issues_decision ON issues (decision_id, report_id) INCLUDE (how_many) WHERE decision_id IS NOT NULL;

-- When the id was replaced: clients use ids that they have read before only for a short time.
ALTER TABLE replaced_issues ADD COLUMN inserted_at timestamptz NOT NULL DEFAULT now();
