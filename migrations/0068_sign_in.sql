-- Signing in with a browser. Secrets are stored as hashes only.

-- The password of an account that has one.
CREATE TABLE passwords (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  -- Argon2id in the PHC string format, with its parameters and salt.
  hash text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Who an account is at an OpenID Connect provider. The subject is the provider's id of the person.
CREATE TABLE oidc_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject),
  UNIQUE (account_id, issuer)
);

-- Signed-in browsers. A session that ends is deleted.
CREATE TABLE sessions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- SHA-256 of the value of the cookie.
  hash bytea NOT NULL UNIQUE,
  user_agent text,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- To the minute.
  last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_account ON sessions (account_id, last_seen_at);

-- Links that let whoever opens them set the password of an account, once.
CREATE TABLE sign_in_links (
  -- SHA-256 of the secret in the link.
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Whether it is for the first run: it then also sets name and e-mail address, while nobody can sign in.
  for_owner boolean NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_account ON sign_in_links (account_id);

-- Recent attempts to sign in or up, counted from `began_at`.
CREATE TABLE sign_in_attempts (
  -- SHA-256 of who attempts what.
  key bytea PRIMARY KEY,
  attempts integer NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_began ON sign_in_attempts (began_at);
