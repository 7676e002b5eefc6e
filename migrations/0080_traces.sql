-- What follows each occurrence through edits of its element: docs/decisions/0079-what-belongs-together.md. 8 bytes each, in the order
-- of `occurrences`; 0 for an element that is not in the document as sent. Null for issues of versions before.
ALTER TABLE issues ADD COLUMN traces bytea;
-- They are as good as random.
ALTER TABLE issues ALTER COLUMN traces SET STORAGE EXTERNAL;

-- The same of results that wait for a check that succeeds.
ALTER TABLE former_issues ADD COLUMN traces bytea;
