-- Reports that `check` deletes when it has shown them: nobody is notified of them.
ALTER TABLE reports ADD COLUMN temporary boolean NOT NULL DEFAULT false;

-- Deliveries about deleted reports are dropped from now on, so their failure no longer exists.
DELETE FROM notification_deliveries WHERE error->>'code' = 'subject_gone';
