-- Refuses values that are encrypted with another key than the database: a process that has not noticed a change of the key would
-- otherwise store what no one can decrypt.
CREATE FUNCTION require_current_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sealed bytea;
  former bytea;
  recorded bytea;
BEGIN
  EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO sealed USING NEW;
  IF TG_OP = 'UPDATE' THEN
    EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO former USING OLD;
  END IF;
  IF sealed IS NULL OR sealed = former THEN
    RETURN NULL;
  END IF;
  -- Waits for a change of the key, and makes the next one wait for this transaction.
  SELECT key_id INTO recorded FROM secret_key FOR SHARE;
  IF substring(sealed FROM 1 FOR length(recorded)) <> recorded THEN
    RAISE EXCEPTION 'The value is encrypted with another key than the database. Restart this process with the current key.';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER site_access_key AFTER INSERT OR UPDATE OF site_access ON reports
  FOR EACH ROW WHEN (NEW.site_access IS NOT NULL) EXECUTE FUNCTION require_current_key('site_access');
CREATE TRIGGER share_sealed_key AFTER INSERT OR UPDATE OF share_sealed ON reports
  FOR EACH ROW WHEN (NEW.share_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('share_sealed');
CREATE TRIGGER site_access_key AFTER INSERT OR UPDATE OF site_access ON sites
  FOR EACH ROW WHEN (NEW.site_access IS NOT NULL) EXECUTE FUNCTION require_current_key('site_access');
CREATE TRIGGER site_access_key AFTER INSERT OR UPDATE OF site_access ON schedules
  FOR EACH ROW WHEN (NEW.site_access IS NOT NULL) EXECUTE FUNCTION require_current_key('site_access');
CREATE TRIGGER hook_sealed_key AFTER INSERT OR UPDATE OF hook_sealed ON schedules
  FOR EACH ROW WHEN (NEW.hook_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('hook_sealed');
CREATE TRIGGER hook_signing_sealed_key AFTER INSERT OR UPDATE OF hook_signing_sealed ON schedules
  FOR EACH ROW WHEN (NEW.hook_signing_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('hook_signing_sealed');
CREATE TRIGGER secret_sealed_key AFTER INSERT OR UPDATE OF secret_sealed ON share_links
  FOR EACH ROW WHEN (NEW.secret_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('secret_sealed');
CREATE TRIGGER session_sealed_key AFTER INSERT OR UPDATE OF session_sealed ON login_sessions
  FOR EACH ROW WHEN (NEW.session_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('session_sealed');
CREATE TRIGGER invitation_sealed_key AFTER INSERT OR UPDATE OF invitation_sealed ON guest_accounts
  FOR EACH ROW WHEN (NEW.invitation_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('invitation_sealed');
CREATE TRIGGER url_sealed_key AFTER INSERT OR UPDATE OF url_sealed ON notification_channels
  FOR EACH ROW WHEN (NEW.url_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('url_sealed');
CREATE TRIGGER secret_sealed_key AFTER INSERT OR UPDATE OF secret_sealed ON notification_channels
  FOR EACH ROW WHEN (NEW.secret_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('secret_sealed');
CREATE TRIGGER former_secret_sealed_key AFTER INSERT OR UPDATE OF former_secret_sealed ON notification_channels
  FOR EACH ROW WHEN (NEW.former_secret_sealed IS NOT NULL) EXECUTE FUNCTION require_current_key('former_secret_sealed');
