-- Issues of other checks that the same edit fixes: docs/decisions/0055-what-to-fix-first.md.
ALTER TABLE fixes ADD COLUMN also jsonb NOT NULL DEFAULT '[]';
-- An element of which two checks complain is one place, and two errors.
ALTER TABLE fixes ADD COLUMN errors bigint;
UPDATE fixes SET errors = how_many;
ALTER TABLE fixes ALTER COLUMN errors SET NOT NULL;
-- Plans that may name the same edit twice.
UPDATE reports r SET answers_pending = true
WHERE r.status = 'finished' AND r.deleted_at IS NULL
  AND (SELECT count(DISTINCT f.kind) FROM fixes f WHERE f.report_id = r.id AND f.kind IN ('html', 'a11y')) = 2;
