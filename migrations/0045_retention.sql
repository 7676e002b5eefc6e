-- The rules that keep reports, as data: src/domain/retention.ts and docs/decisions/0153-retention.md. Empty: all are kept.
ALTER TABLE accounts ADD COLUMN retention jsonb NOT NULL DEFAULT '[]';

-- Space of removed reports is used again once the table is vacuumed: after 5% of its rows have been removed, not 20%.
ALTER TABLE documents SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE screenshot_images SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE issues SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE raw_checks SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE web_pages SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE checks SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE discovered_urls SET (autovacuum_vacuum_scale_factor = 0.05);
