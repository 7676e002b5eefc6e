-- Whether the token comes from SITEWARDEN_ADMIN_TOKEN: another value of the setting takes the place of this one.
ALTER TABLE api_tokens ADD COLUMN from_setting boolean NOT NULL DEFAULT false;
CREATE INDEX api_tokens_from_setting ON api_tokens (id) WHERE from_setting;
