-- Decided occurrences are an issue type of their own in comparisons, too: `fingerprint` as the check found it. Null without a verdict.
ALTER TABLE common_issues ADD COLUMN found_fingerprint bytea;
