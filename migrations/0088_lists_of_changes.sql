-- Where comparisons found what, for lists of places and of pages: docs/decisions/0088-lists-of-changes.md.

-- Whether `changed_issues` has the issues of a comparison with the previous report; false if there are too many, null for
-- comparisons of versions before, which are made again.
ALTER TABLE comparisons ADD COLUMN lists_issues boolean;

-- The issues of a common issue that have places with a change.
CREATE TABLE changed_issues (
  comparison_id bigint NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  common_issue_id bigint NOT NULL,
  change text NOT NULL,
  -- In the order of their pages.
  issues bigint[] NOT NULL,
  -- Of each of them, how many such places there are up to its last one.
  ends bigint[] NOT NULL,
  -- Of all of them.
  how_many bigint NOT NULL,
  PRIMARY KEY (comparison_id, common_issue_id, change)
);

-- The pages with a change, as checks of some kinds tell it. Made for all kinds with the comparison, for others when they are listed.
CREATE TABLE changed_pages (
  comparison_id bigint NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  -- In alphabetical order.
  kinds text[] NOT NULL,
  change text NOT NULL,
  -- In the order of their URLs.
  pages bigint[] NOT NULL,
  num_pages integer NOT NULL,
  PRIMARY KEY (comparison_id, kinds, change)
);

UPDATE reports r SET answers_pending = true
WHERE status = 'finished' AND deleted_at IS NULL AND EXISTS (
  SELECT FROM comparisons c WHERE c.report_id = r.id AND c.is_previous);
