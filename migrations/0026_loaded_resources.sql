-- What pages loaded during their accessibility checks: docs/decisions/0139-reuse.md.
CREATE TABLE resource_lists (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- The SHA-256 of `resources`.
  hash bytea NOT NULL,
  -- As [{url, type, conditions}].
  resources jsonb NOT NULL,
  PRIMARY KEY (report_id, hash)
);
ALTER TABLE checks
  -- The resources that the page loaded, in the list of its report. Null if they are not known.
  ADD COLUMN resource_list bytea,
  -- Whether scripts could change the page.
  ADD COLUMN is_scripted boolean NOT NULL DEFAULT false,
  -- Whether another check with the same key and resources had the same result. Required of pages with scripts.
  ADD COLUMN is_confirmed boolean NOT NULL DEFAULT true;
