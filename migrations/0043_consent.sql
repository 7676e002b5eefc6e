ALTER TABLE reports ADD COLUMN consent text CHECK (consent IN ('accept', 'reject'));
-- How the site sees the report: `login` or `credentials`, and the name of the account that the login uses. Null for a stranger.
ALTER TABLE reports ADD COLUMN signed_in text CHECK (signed_in IN ('login', 'credentials')), ADD COLUMN signed_in_as text;
UPDATE reports SET signed_in = 'credentials' WHERE site_access IS NOT NULL;
-- How the page was checked: states that were opened, and `dismissed`, `kept` or `none` for its consent banner. Null if not asked for.
ALTER TABLE checks ADD COLUMN opened_states integer, ADD COLUMN consent text;
