-- Messages have more members now. Those that were composed before are composed again when they are sent.
UPDATE notification_deliveries SET message = NULL WHERE message IS NOT NULL;
