-- What identifies issues over reports: docs/decisions/0053-identity-over-reports.md. Null for issues of versions before.

-- Of the kind of issue: 16 bytes.
ALTER TABLE common_issues ADD COLUMN fingerprint bytea;

-- Of each occurrence, in the order of `occurrences`: 16 bytes of fingerprints, 8 bytes of clusters.
ALTER TABLE issues ADD COLUMN fingerprints bytea, ADD COLUMN clusters bytea;
-- They are as good as random.
ALTER TABLE issues ALTER COLUMN fingerprints SET STORAGE EXTERNAL, ALTER COLUMN clusters SET STORAGE EXTERNAL;

-- The versions of the engine that made the result, such as `axe-core 4.14.1, Chromium 156.0.8078.73`.
ALTER TABLE checks ADD COLUMN engine_version text;

-- Whether the answers of a finished report (its comparison with the previous one, its fixes) have to be computed.
ALTER TABLE reports ADD COLUMN answers_pending boolean NOT NULL DEFAULT false;
CREATE INDEX reports_answers_pending ON reports (finished_at) WHERE answers_pending;
