-- Mails to addresses that have to be confirmed, of one day: nobody can have others flooded with them.
CREATE TABLE confirmation_mails (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  day date NOT NULL,
  sent integer NOT NULL
);

-- Channels that are told everything in one message a day.
ALTER TABLE notification_channels
  ADD COLUMN digest text NOT NULL DEFAULT 'none',
  -- When, in which time zone.
  ADD COLUMN digest_hour integer NOT NULL DEFAULT 7,
  ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC',
  -- Null without a digest.
  ADD COLUMN next_digest_at timestamptz;
CREATE INDEX notification_channels_digest ON notification_channels (next_digest_at) WHERE next_digest_at IS NOT NULL;

-- The delivery that tells this one together with others; null for one that is told alone, or waits for its digest.
ALTER TABLE notification_deliveries ADD COLUMN digest_id uuid;
CREATE INDEX notification_deliveries_digest ON notification_deliveries (digest_id) WHERE digest_id IS NOT NULL;
CREATE INDEX notification_deliveries_held ON notification_deliveries (channel_id, id) WHERE status = 'held';
