-- A place of each change, which lists link to: docs/decisions/0083-shortest-ways.md. Comparisons of versions
-- before have none until they are made again.
ALTER TABLE issue_changes ADD COLUMN sample_issue_id bigint, ADD COLUMN sample_place integer;
