-- Keeps the status of pages for all checks of a statement at once: for each row it took four times as long as the
-- update that caused it.
DROP TRIGGER web_page_status ON checks;
DROP FUNCTION keep_web_page_status();

CREATE FUNCTION keep_page_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The array makes PostgreSQL look pages up by index, however many there were when it planned the statement.
  UPDATE web_pages w SET status = s.status
  FROM (
    SELECT web_page_id, CASE WHEN bool_or(status = 'failed') THEN 'failed' WHEN bool_and(status = 'checked') THEN 'checked'
      WHEN bool_or(status = 'checked') THEN 'checking' ELSE 'pending' END AS status
    FROM checks WHERE web_page_id = ANY(ARRAY(SELECT DISTINCT web_page_id FROM changed)) GROUP BY web_page_id
  ) s
  WHERE w.id = s.web_page_id AND w.status <> s.status;
  RETURN NULL;
END $$;
CREATE TRIGGER page_status_inserted AFTER INSERT ON checks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_page_status();
CREATE TRIGGER page_status_updated AFTER UPDATE ON checks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_page_status();
DROP FUNCTION status_of_checks(bigint);
