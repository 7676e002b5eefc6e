-- Messages without regard to case, as filters and mutings compare them.
ALTER TABLE common_issues
  ADD COLUMN folded_message text NOT NULL GENERATED ALWAYS AS (casefold(message COLLATE "pg_unicode_fast")) STORED;
