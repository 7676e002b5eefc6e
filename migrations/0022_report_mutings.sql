-- For each muting that silenced something in a report, the latest issue that it was seen to silence. As long as that is
-- there and muted, the muting need not be compared with a hundred thousand pages to know that it is applied.
CREATE TABLE report_mutings (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  muting_id bigint NOT NULL REFERENCES mutings ON DELETE CASCADE,
  -- Both together name an issue, which may be gone since.
  web_page_id bigint NOT NULL,
  common_issue_id bigint NOT NULL,
  PRIMARY KEY (report_id, muting_id)
);
CREATE INDEX report_mutings_muting ON report_mutings (muting_id);

-- The walks over the existing reports fill it.
UPDATE mutings SET walk_pending = true, walked_report = DEFAULT, walked_page = NULL;
