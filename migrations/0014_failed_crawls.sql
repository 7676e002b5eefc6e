-- Whether the crawl found no page that could be checked; null until it has ended. What becomes of single pages later does
-- not make a report fail.
ALTER TABLE reports ADD COLUMN crawl_failed boolean;
UPDATE reports SET crawl_failed = (status = 'failed') WHERE status IN ('checking', 'finished', 'failed');
