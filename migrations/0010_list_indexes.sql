-- What lists need that walk through a hundred thousand rows: the answer in the index.

-- Tags without regard to case, as lists compare them.
CREATE FUNCTION folded_tags(tags text[]) RETURNS text[] IMMUTABLE PARALLEL SAFE LANGUAGE sql
  RETURN ARRAY(SELECT casefold(tag COLLATE "pg_unicode_fast") FROM unnest(tags) AS tag);

ALTER TABLE web_pages
  ADD COLUMN folded_url text NOT NULL GENERATED ALWAYS AS (casefold(url COLLATE "pg_unicode_fast")) STORED,
  -- Derived from the page's checks, and kept by the trigger below.
  ADD COLUMN status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'checking', 'checked', 'failed'));
DROP INDEX web_pages_report;
CREATE INDEX web_pages_report ON web_pages (report_id, id) INCLUDE (folded_url);
CREATE INDEX web_pages_status ON web_pages (report_id, status, id);

ALTER TABLE common_issues
  ADD COLUMN folded_tags text[] NOT NULL GENERATED ALWAYS AS (folded_tags(tags)) STORED;

-- `failed` wins over all, and one check pending while another is checked is `checking`.
CREATE FUNCTION status_of_checks(page bigint) RETURNS text STABLE LANGUAGE sql
  RETURN (
    SELECT CASE WHEN bool_or(status = 'failed') THEN 'failed' WHEN bool_and(status = 'checked') THEN 'checked'
      WHEN bool_or(status = 'checked') THEN 'checking' ELSE 'pending' END
    FROM checks WHERE web_page_id = page);
UPDATE web_pages SET status = status_of_checks(id);

-- Checks change their status in many places, and a page's status must follow in all of them.
CREATE FUNCTION keep_web_page_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE web_pages SET status = status_of_checks(id)
  WHERE id = NEW.web_page_id AND status <> status_of_checks(id);
  RETURN NULL;
END $$;
CREATE TRIGGER web_page_status AFTER INSERT OR UPDATE OF status ON checks
  FOR EACH ROW EXECUTE FUNCTION keep_web_page_status();
