ALTER TABLE reports ADD COLUMN explore_states boolean NOT NULL DEFAULT false;
