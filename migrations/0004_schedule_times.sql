-- Schedules have a time of day and a time zone of their own, and can be spread over an hour. `next_run_at` of a schedule with a time of
-- day is a moment. Without one, it is stored as before: as if SITEWARDEN_SCHEDULE_TIME were 00:00.
ALTER TABLE schedules
  -- `07:30` in `time_zone`. Null: the time of the installation.
  ADD COLUMN time_of_day text CHECK (time_of_day ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  -- A name of the IANA database, such as `Europe/Berlin`, or an offset.
  ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC',
  -- Whether it starts at its own minute of the hour after its time.
  ADD COLUMN spread boolean NOT NULL DEFAULT false;
