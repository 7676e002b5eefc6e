-- Which issues make a run of the schedule a bad one.
ALTER TABLE schedules ADD COLUMN fail_on text[] NOT NULL DEFAULT '{error}';
