-- The secret of the link of a shared report, stored like that of a deploy hook: its hash finds the report, and only the key of
-- the installation opens the sealed copy. Null while the report is not shared. A server that starts gives links to reports that
-- were shared without one (`src/store/share-links.ts`), since a migration has no key.
ALTER TABLE reports
  ADD COLUMN share_hash bytea,
  ADD COLUMN share_sealed bytea;
CREATE UNIQUE INDEX reports_share_hash ON reports (share_hash) WHERE share_hash IS NOT NULL;
CREATE INDEX reports_without_link ON reports (id) WHERE shared AND share_hash IS NULL AND deleted_at IS NULL;
