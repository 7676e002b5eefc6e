-- Whether pages are rendered in a browser to find the links that scripts make.
ALTER TABLE reports ADD COLUMN dynamic_crawler boolean NOT NULL DEFAULT false;
-- Why a page was not rendered; null when it was, or was not to be.
ALTER TABLE web_pages ADD COLUMN render_error text;
