-- Whether the page was requested as its report signs in, and the site did not refuse that. Without effect if the report does not sign in.
ALTER TABLE web_pages ADD COLUMN is_signed_in boolean NOT NULL DEFAULT true;
