-- A rule of an account that silences the issues with a message, or part of one, on the pages with a URL, or part of one.
CREATE TABLE mutings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url_match text NOT NULL,
  message text NOT NULL,
  comment text NOT NULL DEFAULT '',
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- Set when the owner deletes the muting: it is gone for everybody at once, its issues come back in the background.
  deleted_at timestamptz,
  -- True while existing reports are still to be brought in line with the muting, or with its end. The newest report comes
  -- first; done are those with a greater id than `walked_report`, and of that one the pages up to `walked_page`, all of
  -- them where it is null.
  walk_pending boolean NOT NULL DEFAULT true,
  walked_report uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  walked_page bigint,
  walked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mutings_account ON mutings (account_id, id) WHERE deleted_at IS NULL;
CREATE INDEX mutings_walk ON mutings (walked_at) WHERE walk_pending;
CREATE INDEX reports_walk ON reports (account_id, id) WHERE deleted_at IS NULL;
CREATE INDEX reports_guest_walk ON reports (guest_account_id, id) WHERE guest_account_id IS NOT NULL AND deleted_at IS NULL;

-- Kept in line with the mutings of the report's account, in the same transaction as every count.
ALTER TABLE issues ADD COLUMN muted boolean NOT NULL DEFAULT false;
DROP INDEX issues_common;
CREATE INDEX issues_common ON issues (common_issue_id, web_page_id) INCLUDE (muted);

-- `how_many` and `num_web_pages` are without muted issues, these are of muted ones alone.
ALTER TABLE common_issues
  ADD COLUMN muted_how_many bigint NOT NULL DEFAULT 0 CHECK (muted_how_many >= 0),
  ADD COLUMN muted_num_web_pages integer NOT NULL DEFAULT 0 CHECK (muted_num_web_pages >= 0);
CREATE INDEX common_issues_muted_html ON common_issues (report_id, issue_type, muted_how_many DESC, id)
  WHERE kind = 'html' AND muted_how_many > 0;
CREATE INDEX common_issues_muted_a11y ON common_issues (report_id, impact_order DESC, muted_how_many DESC, id)
  WHERE kind = 'a11y' AND muted_how_many > 0;
