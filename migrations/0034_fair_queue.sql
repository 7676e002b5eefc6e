-- Work is claimed from the account with the least of it under way. The account is who paid for the report when it was made:
-- the host of its guest account, else its owner.
ALTER TABLE reports ADD COLUMN payer_id uuid;
UPDATE reports r SET payer_id =
  coalesce((SELECT host_id FROM guest_accounts g WHERE g.id = r.guest_account_id AND g.deleted_at IS NULL), account_id);
ALTER TABLE reports ALTER COLUMN payer_id SET NOT NULL;

-- In the row itself, so that an index has the free checks of an account in their order. Null for one that has not waited
-- since the column exists.
ALTER TABLE checks ADD COLUMN payer_id uuid;
UPDATE checks c SET payer_id = r.payer_id FROM reports r WHERE r.id = c.report_id AND c.status = 'pending';

CREATE FUNCTION set_report_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.payer_id := coalesce((SELECT host_id FROM guest_accounts WHERE id = NEW.guest_account_id), NEW.account_id);
  RETURN NEW;
END $$;
CREATE TRIGGER report_payer BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION set_report_payer();

CREATE FUNCTION set_check_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.payer_id := (SELECT payer_id FROM reports WHERE id = NEW.report_id);
  RETURN NEW;
END $$;
CREATE TRIGGER check_payer BEFORE INSERT OR UPDATE OF status ON checks
  FOR EACH ROW WHEN (NEW.status = 'pending' AND NEW.payer_id IS NULL) EXECUTE FUNCTION set_check_payer();

DROP INDEX reports_crawl_pending, checks_free;
CREATE INDEX reports_crawl_waiting ON reports (payer_id, inserted_at)
  WHERE crawl_pending AND crawled_by IS NULL AND deleted_at IS NULL;
CREATE INDEX reports_crawled ON reports (crawled_by, payer_id) WHERE crawled_by IS NOT NULL;
CREATE INDEX checks_free ON checks (kind, payer_id, turn, web_page_id)
  WHERE status = 'pending' AND runnable AND claimed_by IS NULL;
