-- The order in which the checks of a page are paid for if credits run out.
ALTER TABLE report_checks ADD COLUMN position smallint NOT NULL DEFAULT 0;
UPDATE report_checks SET position = CASE kind WHEN 'html' THEN 0 WHEN 'a11y' THEN 1 ELSE 2 END;
