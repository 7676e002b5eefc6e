-- The process that holds the reservation of a login: only it may end the reservation.
ALTER TABLE login_sessions ADD COLUMN busy_by uuid;
ALTER TABLE login_sessions ADD COLUMN busy_since timestamptz;
-- How long the logins of the report have taken together, in milliseconds.
ALTER TABLE login_sessions ADD COLUMN spent_ms bigint NOT NULL DEFAULT 0;
-- Encrypted: values of all sessions of the report, which everything it shows masks. Stays after the report has ended.
ALTER TABLE login_sessions ADD COLUMN secrets_sealed bytea;
CREATE TRIGGER secrets_sealed_key AFTER INSERT OR UPDATE OF secrets_sealed ON login_sessions
  FOR EACH ROW WHEN (NEW.secrets_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('secrets_sealed');
