-- What lets a report's requests into a site that asks who one is: HTTP Basic credentials, headers and cookies, encrypted
-- with the installation's key and bound to the row. Null without any.
ALTER TABLE reports ADD COLUMN site_access bytea;
ALTER TABLE schedules ADD COLUMN site_access bytea;
