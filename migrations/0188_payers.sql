-- Who pays is written by the code that inserts reports and checks. Until now, a check that had never waited had no payer.
DROP TRIGGER report_payer ON reports;
DROP FUNCTION set_report_payer();
DROP TRIGGER check_payer ON checks;
DROP FUNCTION set_check_payer();
UPDATE checks c SET payer_id = r.payer_id FROM reports r WHERE r.id = c.report_id AND c.payer_id IS NULL;
ALTER TABLE checks ALTER COLUMN payer_id SET NOT NULL;
