-- Which pages a re-check is of, so that it is not made a second time: a digest of their ids. Null for a common issue, and for
-- re-checks of versions before.
ALTER TABLE rechecks ADD COLUMN pages_hash bytea;
