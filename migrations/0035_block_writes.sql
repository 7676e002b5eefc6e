ALTER TABLE reports ADD COLUMN block_writes boolean NOT NULL DEFAULT true;
