-- The newest report of a schedule.
CREATE INDEX reports_of_schedule ON reports (schedule_id, inserted_at DESC, id DESC)
  WHERE schedule_id IS NOT NULL AND deleted_at IS NULL;
