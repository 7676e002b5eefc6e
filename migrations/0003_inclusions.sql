-- Beginnings of URLs, or of their paths: only pages that match one of them are pages of the report. Empty: every page is.
ALTER TABLE reports ADD COLUMN inclusions text[] NOT NULL DEFAULT '{}';
