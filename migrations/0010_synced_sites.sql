-- Sites remember which file of `sitewarden sync` has created them, so that it can remove them: docs/decisions/0050-sites.md.

ALTER TABLE sites
  -- What the file is called. Null for sites that no file has created.
  ADD COLUMN synced_from text;
