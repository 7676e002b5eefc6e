-- The actions that contain a text are looked up in it, and then the entries with them, of one account or of all.
CREATE INDEX CONCURRENTLY audit_log_action ON audit_log (action, account_id, id);
