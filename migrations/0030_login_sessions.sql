-- The session that the login of a report began, which crawl and checks share.
CREATE TABLE login_sessions (
  report_id uuid PRIMARY KEY REFERENCES reports ON DELETE CASCADE,
  -- Logins of the report that have worked.
  number integer NOT NULL DEFAULT 0,
  -- Encrypted; null before the first login has worked.
  session_sealed bytea,
  -- Why the last login did not work.
  failure jsonb,
  -- A process is signing in, or asking whether the session has ended, at most until this time.
  busy_until timestamptz,
  -- When the session was last known not to have ended.
  confirmed_at timestamptz,
  expires_at timestamptz
);

-- One-time passwords are used once: the last period of each key, by a code that only this installation can compute from it.
CREATE TABLE used_totp_periods (
  key_code bytea PRIMARY KEY,
  period bigint NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
);
