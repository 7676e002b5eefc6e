-- The name of the journey that may have changed something on the site, from its first step that may until its marks are saved.
-- A crawl that finds one when it begins was interrupted in between, and does not perform that journey again.
ALTER TABLE reports ADD COLUMN acting_journey text;
