-- A filter over thousands of kinds of issue finds what it looks at in the index that has their order, and reads no row.
ALTER TABLE common_issues
  ALTER COLUMN folded_message DROP NOT NULL,
  -- Null for a message that is too long for an index; beside it there is room for all tags that there are.
  ALTER COLUMN folded_message SET EXPRESSION AS (
    CASE WHEN octet_length(casefold(message COLLATE "pg_unicode_fast")) <= 1000
    THEN casefold(message COLLATE "pg_unicode_fast") END);
CREATE INDEX common_issues_long ON common_issues (report_id) WHERE folded_message IS NULL;
DROP INDEX common_issues_html, common_issues_muted_html;
CREATE INDEX common_issues_html ON common_issues (report_id, issue_type, how_many DESC, id)
  INCLUDE (muted_how_many, folded_message, folded_tags) WHERE kind = 'html';
CREATE INDEX common_issues_muted_html ON common_issues (report_id, issue_type, muted_how_many DESC, id)
  INCLUDE (folded_message, folded_tags) WHERE kind = 'html' AND muted_how_many > 0;
