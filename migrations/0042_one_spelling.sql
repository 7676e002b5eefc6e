-- Schedules keep the attributes of their reports under the names that requests, answers and the columns of reports have.
UPDATE schedules SET definition = coalesce((
  SELECT jsonb_object_agg(lower(regexp_replace(key, '([A-Z])', '_\1', 'g')), value) FROM jsonb_each(definition)), '{}');
