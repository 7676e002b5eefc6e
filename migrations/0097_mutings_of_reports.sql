-- Mutings of one report, which its configuration file has. They are not among those of the account.
ALTER TABLE mutings
  ADD COLUMN report_id uuid REFERENCES reports ON DELETE CASCADE,
  -- Whether `message` is the whole id of a rule.
  ADD COLUMN by_rule boolean NOT NULL DEFAULT false,
  -- Limits the muting to places in elements that match this CSS selector, which is known when the issues are found.
  ADD COLUMN selector text;
CREATE INDEX mutings_report ON mutings (report_id, id) WHERE report_id IS NOT NULL;
DROP INDEX mutings_account;
CREATE INDEX mutings_account ON mutings (account_id, id) WHERE deleted_at IS NULL AND report_id IS NULL;
