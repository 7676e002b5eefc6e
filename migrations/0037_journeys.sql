ALTER TABLE reports
  ADD COLUMN journeys jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN only_journeys boolean NOT NULL DEFAULT false,
  -- How many of its journeys have been performed, in their order.
  ADD COLUMN journeys_run integer NOT NULL DEFAULT 0;
-- Of a mark of a journey: the URL of the page at that moment. Null for other pages.
ALTER TABLE web_pages ADD COLUMN reached_url text;
-- The output of an engine that ran while its page was shown, compressed with zstd, until it is interpreted. Null for others.
ALTER TABLE checks ADD COLUMN collected bytea STORAGE EXTERNAL;
