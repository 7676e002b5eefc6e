-- The last migration that a process must know to use this schema, so that the previous release continues to run during an upgrade;
-- null if it must know all of them.
ALTER TABLE installation ADD COLUMN schema_requires text;
