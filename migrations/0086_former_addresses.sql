-- The e-mail address that the account had when somebody changed it in another browser, until this one has said that it was read.
ALTER TABLE sessions ADD COLUMN former_email text;
