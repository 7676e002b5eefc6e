-- A CSS selector of what a page with scripts is waited for before it is judged; null for its rest.
ALTER TABLE reports ADD COLUMN wait_for text;
-- What is to be known about how a page was checked: an array of {code, params}.
ALTER TABLE checks ADD COLUMN notes jsonb NOT NULL DEFAULT '[]';
