-- When the document of a page was fetched; null for a page without one, or from before this migration.
ALTER TABLE web_pages ADD COLUMN fetched_at timestamptz;
