-- No check engine has columns, keys or indexes of its own.

-- A schedule lists the kinds of checks that its reports perform.
UPDATE schedules SET definition = (definition - 'performHtmlChecks' - 'performA11yChecks') || jsonb_build_object('checks',
  array_remove(ARRAY[
    CASE WHEN coalesce((definition ->> 'performHtmlChecks')::boolean, true) THEN 'html' END,
    CASE WHEN coalesce((definition ->> 'performA11yChecks')::boolean, false) THEN 'a11y' END
  ], NULL));

-- The order of common issues: the worst impact first where the engine grades its issues, else errors first.
ALTER TABLE common_issues ADD COLUMN rank integer NOT NULL GENERATED ALWAYS AS (
  CASE WHEN impact_order > 0 THEN -impact_order WHEN issue_type = 'error' THEN 0 ELSE 1 END) STORED;
DROP INDEX common_issues_html, common_issues_muted_html, common_issues_a11y, common_issues_muted_a11y;
CREATE INDEX common_issues_ranked ON common_issues (report_id, kind, rank, how_many DESC, id)
  INCLUDE (muted_how_many, folded_message, folded_tags);
CREATE INDEX common_issues_muted_ranked ON common_issues (report_id, kind, rank, muted_how_many DESC, id)
  INCLUDE (folded_message, folded_tags) WHERE muted_how_many > 0;
