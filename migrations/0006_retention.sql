-- Serves the search for reports that have been kept long enough.
CREATE INDEX reports_inserted ON reports (inserted_at) WHERE deleted_at IS NULL;
