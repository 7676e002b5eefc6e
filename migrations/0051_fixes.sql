-- What to fix first: docs/decisions/0055-what-to-fix-first.md. Computed when a report ends.
CREATE TABLE fixes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- From 1, in the order of the plan.
  position integer NOT NULL,
  common_issue_id bigint NOT NULL,
  cluster bytea NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  markup text NOT NULL,
  selector text,
  sample_page_id bigint NOT NULL,
  how_many bigint NOT NULL,
  num_web_pages integer NOT NULL,
  passing_before integer NOT NULL,
  passing_after integer NOT NULL,
  passing_after_plan integer NOT NULL,
  UNIQUE (report_id, position)
);
