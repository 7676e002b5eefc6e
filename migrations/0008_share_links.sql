-- Share links that open the newest report of a site, or of every site with a tag: docs/decisions/0050-sites.md.

CREATE TABLE share_links (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Who the link is for, in the words of its owner.
  name text NOT NULL,
  -- What it opens: one site, or all sites of the account with a tag.
  site_id uuid REFERENCES sites ON DELETE CASCADE,
  tag text,
  -- The SHA-256 of its secret, and the secret encrypted.
  secret_hash bytea NOT NULL UNIQUE,
  secret_sealed bytea NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(site_id, tag) = 1)
);
CREATE INDEX share_links_account ON share_links (account_id, id DESC);
CREATE INDEX share_links_site ON share_links (site_id);
