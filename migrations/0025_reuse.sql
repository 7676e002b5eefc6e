-- Results of checks are reused if all they depend on is the same: docs/decisions/0139-reuse.md.
ALTER TABLE reports ADD COLUMN reuse boolean NOT NULL DEFAULT true;
ALTER TABLE checks
  -- False for re-checks.
  ADD COLUMN may_reuse boolean NOT NULL DEFAULT true,
  -- Identifies everything that the result depends on. Null if that is not known, or if there is no result.
  ADD COLUMN reuse_key bytea,
  -- Whether results of the page differed although nothing had changed, in this report or an earlier one.
  ADD COLUMN varies boolean NOT NULL DEFAULT false,
  -- When the engine found the result. Null for results of earlier versions.
  ADD COLUMN found_at timestamptz,
  -- The report whose result it has. Null if the engine checked the page. That report may have been deleted since.
  ADD COLUMN reused_from uuid;
