-- What pages were shown with, and what the result before was shown with: docs/decisions/0135-same-document-other-result.md.
ALTER TABLE checks ADD COLUMN resources bytea, ADD COLUMN before_resources bytea;
