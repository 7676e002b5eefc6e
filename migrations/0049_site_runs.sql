-- How many pages of a report have passed: kept, so that lists of sites and statistics over time add up no pages.
ALTER TABLE reports
  -- Pages all of whose checks have run.
  ADD COLUMN checked_pages integer NOT NULL DEFAULT 0 CHECK (checked_pages >= 0),
  -- Those of them without errors.
  ADD COLUMN passed_pages integer NOT NULL DEFAULT 0 CHECK (passed_pages >= 0);
UPDATE reports r SET checked_pages = s.checked, passed_pages = s.passed
FROM (
  SELECT report_id, count(*) AS checked, count(*) FILTER (WHERE errors = 0) AS passed
  FROM (
    SELECT report_id, sum(errors) AS errors FROM checks GROUP BY report_id, web_page_id HAVING bool_and(status = 'checked')
  ) pages GROUP BY report_id
) s WHERE r.id = s.report_id;

-- Statistics read the reports that finished in a period.
CREATE INDEX reports_finished ON reports (account_id, finished_at) WHERE deleted_at IS NULL;
-- The next run of a site: schedules of its account with its starting URL, which may be too long for an index.
CREATE INDEX schedules_next ON schedules (account_id, md5(definition->>'starting_url')) WHERE next_run_at IS NOT NULL;
