-- Reports that finished before answers existed have none: compute them, so that none claims that there is nothing to fix.
UPDATE reports SET answers_pending = true WHERE status = 'finished' AND deleted_at IS NULL;
