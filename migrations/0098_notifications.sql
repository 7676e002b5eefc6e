-- Where an account is told what happens to its reports and schedules.
CREATE TABLE notification_channels (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind text NOT NULL,
  name text NOT NULL,
  -- The host of the URL, or the e-mail address.
  target text NOT NULL,
  -- The URL, in which there may be a secret; null for e-mail.
  url_sealed bytea,
  -- Signs webhooks; null for the other kinds.
  secret_sealed bytea,
  -- The secret before, which signs as well for a day after it was replaced.
  former_secret_sealed bytea,
  secret_replaced_at timestamptz,
  events text[] NOT NULL,
  worse_when text[] NOT NULL,
  -- Empty: every report. Without a foreign key: a schedule can be deleted without its channels.
  schedule_ids uuid[] NOT NULL,
  active boolean NOT NULL,
  -- Null: an e-mail address that nobody has confirmed yet.
  confirmed_at timestamptz,
  -- The first failure since the last delivery, and the last failure.
  failing_since timestamptz,
  last_error jsonb,
  last_delivered_at timestamptz,
  -- When the service paused it because it only failed; null otherwise.
  paused_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notification_channels_account ON notification_channels (account_id, id DESC);

-- What a channel is told: the row is the job to deliver it.
CREATE TABLE notification_deliveries (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  channel_id uuid NOT NULL REFERENCES notification_channels ON DELETE CASCADE,
  event text NOT NULL,
  -- What happened: it is told to a channel once.
  key text NOT NULL,
  -- Without foreign keys: the removal of a report need not wait for its deliveries.
  report_id uuid,
  schedule_id uuid,
  details jsonb NOT NULL,
  -- What is sent, as it was composed for the first attempt. Not jsonb, which would change the order of its members.
  message json,
  status text NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  -- Null when there will be none. While an attempt runs, when it counts as lost.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  http_status integer,
  error jsonb,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel_id, key)
);
CREATE INDEX notification_deliveries_channel ON notification_deliveries (channel_id, id DESC);
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX notification_deliveries_report ON notification_deliveries (report_id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX notification_deliveries_old ON notification_deliveries (inserted_at);
