-- A failure is stored as {"code", "params"}; its sentence is made where it is shown. The code "legacy" keeps the sentences
-- of earlier versions, except those about credits, whose codes are compared. Only rows that hold a sentence are rewritten.
CREATE TEMPORARY TABLE known_sentences ON COMMIT DROP AS
SELECT sentence, jsonb_build_object('code', code, 'params', jsonb_build_object('payer', payer)) AS failure FROM (VALUES
  ('credits_over_for_check', 'account',
    'No credits left: the check did not run. Check the page again when there are new ones'),
  ('credits_over_for_check', 'guest',
    'No credits left in the guest''s month: the check did not run. Check the page again next month'),
  ('credits_over_for_rendering', 'account', 'No credits left: the page was not rendered'),
  ('credits_over_for_rendering', 'guest', 'No credits left in the guest''s month: the page was not rendered'),
  ('credits_over', 'account',
    'The credits ran out before everything was checked and stored. Check the failed pages again when there are new ones.'),
  ('credits_over', 'guest',
    'The guest''s credits of this month ran out before everything was checked and stored. Check the failed pages again next month, or when the host has raised the limit.'),
  ('credits_over_in_crawl', 'account',
    'The credits ran out before every page was rendered, so that links which only scripts make are missing. Create a report when there are new ones.'),
  ('credits_over_in_crawl', 'guest',
    'The guest''s credits of this month ran out before every page was rendered, so that links which only scripts make are missing. Create a report next month, or when the host has raised the limit.')
) AS sentences (code, payer, sentence);

CREATE FUNCTION pg_temp.as_failure(told text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT failure FROM known_sentences WHERE sentence = told),
    jsonb_build_object('code', 'legacy', 'params', jsonb_build_object('text', told)))
$$;

ALTER TABLE checks ADD COLUMN failure jsonb;
UPDATE checks SET failure = pg_temp.as_failure(error) WHERE error IS NOT NULL;
ALTER TABLE checks DROP COLUMN error;
ALTER TABLE checks RENAME COLUMN failure TO error;

ALTER TABLE web_pages ADD COLUMN failure jsonb;
UPDATE web_pages SET failure = pg_temp.as_failure(render_error) WHERE render_error IS NOT NULL;
ALTER TABLE web_pages DROP COLUMN render_error;
ALTER TABLE web_pages RENAME COLUMN failure TO render_error;

ALTER TABLE reports ADD COLUMN failure jsonb;
UPDATE reports SET failure = pg_temp.as_failure(crawl_error) WHERE crawl_error IS NOT NULL;
ALTER TABLE reports DROP COLUMN crawl_error;
ALTER TABLE reports RENAME COLUMN failure TO crawl_error;

ALTER TABLE discovered_urls ADD COLUMN failure jsonb;
UPDATE discovered_urls SET failure = pg_temp.as_failure(detail) WHERE detail IS NOT NULL;
ALTER TABLE discovered_urls DROP COLUMN detail;
ALTER TABLE discovered_urls RENAME COLUMN failure TO detail;

-- The page's checks say the same.
ALTER TABLE web_pages DROP COLUMN fetch_error;
DROP FUNCTION pg_temp.as_failure(text);
