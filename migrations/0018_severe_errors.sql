-- Checked pages with critical or serious errors: a measure of progress before pages pass (docs/numbers.md).
ALTER TABLE report_checks ADD COLUMN with_severe integer NOT NULL DEFAULT 0;
ALTER TABLE report_checks_at_end ADD COLUMN with_severe integer NOT NULL DEFAULT 0;

UPDATE report_checks r SET with_severe = s.pages
FROM (
  SELECT report_id, kind, count(*) AS pages FROM checks
  WHERE status = 'checked' AND critical_errors + serious_errors > 0 GROUP BY 1, 2
) s WHERE r.report_id = s.report_id AND r.kind = s.kind;
UPDATE report_checks_at_end e SET with_severe = r.with_severe
FROM report_checks r JOIN reports ON reports.id = r.report_id AND NOT reports.changed_since_end
WHERE r.report_id = e.report_id AND r.kind = e.kind;
UPDATE report_checks_at_end e SET with_severe = s.pages
FROM (
  SELECT p.report_id, c.kind, count(*) AS pages
  FROM reports JOIN web_pages p ON p.report_id = reports.id JOIN checks_at_end c ON c.web_page_id = p.id
  WHERE reports.changed_since_end AND c.status = 'checked' AND EXISTS (
    SELECT FROM issues_at_end i WHERE i.web_page_id = c.web_page_id AND i.kind = c.kind AND NOT i.muted
      AND i.issue_type = 'error' AND i.impact IN ('critical', 'serious'))
  GROUP BY 1, 2
) s WHERE e.report_id = s.report_id AND e.kind = s.kind;
