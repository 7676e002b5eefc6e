-- The spider requests the documents of a report on a device as that device, at the report's rate, and the browser requests none:
-- nobody else takes turns with it.
DROP INDEX reports_on_devices;
ALTER TABLE reports DROP COLUMN next_request_at, DROP COLUMN rests_until;
