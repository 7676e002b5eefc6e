-- Under which claims a check was begun again without coming to an end. A count went up twice where the answer to the
-- statement was lost and the statement repeated; a set of claims does not.
ALTER TABLE checks DROP COLUMN begun;
ALTER TABLE checks ADD COLUMN begun_claims bigint[] NOT NULL DEFAULT '{}';
