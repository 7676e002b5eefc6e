-- For the number of reports in each state, and for finding the reports that are not finished.
CREATE INDEX reports_status ON reports (status) WHERE deleted_at IS NULL;
