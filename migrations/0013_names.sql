-- Names as everywhere else.
ALTER TABLE confirmation_mails RENAME TO confirmation_emails;
ALTER TABLE idempotency_keys RENAME COLUMN answer TO response;
