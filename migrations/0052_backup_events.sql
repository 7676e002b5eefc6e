-- News of scheduled backups is delivered by notification channels: `src/store/notifications/notification-events.ts`.
ALTER TABLE installation DROP COLUMN backup_notify;
