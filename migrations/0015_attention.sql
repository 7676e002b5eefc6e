-- What needs attention until it is fixed, muted or acknowledged: docs/decisions/0050-sites.md.
ALTER TABLE sites
  -- The report whose comparison with `attention_since_id` has what got worse before the newest report. Null for none. Either report
  -- may have been deleted.
  ADD COLUMN attention_report_id uuid,
  ADD COLUMN attention_since_id uuid,
  -- The newest report that had ended when the owner acknowledged what it found. Null until then.
  ADD COLUMN acknowledged_report_id uuid,
  ADD COLUMN acknowledged_at timestamptz;

-- Before, a second report ended the attention that a first report with errors needs.
UPDATE sites SET acknowledged_at = now() WHERE id IN (
  SELECT site_id FROM reports WHERE finished_at IS NOT NULL AND deleted_at IS NULL AND NOT temporary
  GROUP BY site_id HAVING count(*) > 1);
