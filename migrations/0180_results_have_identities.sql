-- Makes what versions before the first release stored like what this one stores, so that no column is null only for their sake.

-- Of results without fingerprints, the kind of issue is identified by its key, each place by its issue and its position, and all
-- places of a kind are one cluster. The next comparison finds that the engine changed.
UPDATE common_issues SET fingerprint = substr(sha256(key), 1, 16) WHERE fingerprint IS NULL;
-- Elements were stored without their places in the source, and now without any: `[]`, compressed.
UPDATE issues SET occurrences = '\x28b52ffd20021100005b5d' WHERE kind = 'a11y' AND fingerprints IS NULL;
UPDATE issues SET
  fingerprints = (
    SELECT string_agg(substr(sha256(convert_to(id || '-' || place, 'UTF8')), 1, 16), '' ORDER BY place)
    FROM generate_series(0, how_many - 1) AS place),
  clusters = decode(repeat(left(encode(sha256(convert_to(common_issue_id::text, 'UTF8')), 'hex'), 16), how_many), 'hex')
WHERE fingerprints IS NULL;
UPDATE issues SET traces = decode(repeat('00', octet_length(fingerprints) / 2), 'hex') WHERE traces IS NULL;
ALTER TABLE common_issues ALTER COLUMN fingerprint SET NOT NULL;
ALTER TABLE issues ALTER COLUMN fingerprints SET NOT NULL, ALTER COLUMN clusters SET NOT NULL, ALTER COLUMN traces SET NOT NULL;
DELETE FROM cluster_lists;
DELETE FROM cluster_places;

UPDATE former_issues SET fingerprint = substr(sha256(convert_to(message, 'UTF8')), 1, 16) WHERE fingerprint IS NULL;
UPDATE former_issues SET places = (
  SELECT string_agg(substr(sha256(convert_to('former ' || id || '-' || place, 'UTF8')), 1, 16), '' ORDER BY place)
  FROM generate_series(0, how_many - 1) AS place)
WHERE NOT is_fixed AND places IS NULL;
UPDATE former_issues SET traces = decode(repeat('00', octet_length(places) / 2), 'hex') WHERE NOT is_fixed AND traces IS NULL;
ALTER TABLE former_issues ALTER COLUMN fingerprint SET NOT NULL,
  ADD CHECK (is_fixed OR (places IS NOT NULL AND traces IS NOT NULL));

-- All reports are compared again. False: with another report than the previous one, or there are too many issues.
DELETE FROM comparisons;
UPDATE reports SET answers_pending = true WHERE status = 'finished' AND deleted_at IS NULL;
ALTER TABLE comparisons ALTER COLUMN lists_issues SET DEFAULT false, ALTER COLUMN lists_issues SET NOT NULL;

-- Sentences that were stored before failures had codes. Failures of checks have a code with the same parameter.
UPDATE checks SET error = replace(error::text, '"code": "legacy"', '"code": "check_error"')::jsonb
WHERE error::text LIKE '%"code": "legacy"%';
UPDATE web_pages SET render_error = replace(render_error::text, '"code": "legacy"', '"code": "check_error"')::jsonb
WHERE render_error::text LIKE '%"code": "legacy"%';
UPDATE reports SET crawl_error = replace(crawl_error::text, '"code": "legacy"', '"code": "check_error"')::jsonb
WHERE crawl_error::text LIKE '%"code": "legacy"%';
UPDATE discovered_urls SET detail = replace(detail::text, '"code": "legacy"', '"code": "check_error"')::jsonb
WHERE detail::text LIKE '%"code": "legacy"%';
UPDATE schedules SET last_run_error = replace(last_run_error::text, '"code": "legacy"', '"code": "check_error"')::jsonb
WHERE last_run_error::text LIKE '%"code": "legacy"%';

UPDATE web_pages SET fetched_at = inserted_at WHERE fetched_at IS NULL AND document_hash IS NOT NULL;
ALTER TABLE web_pages ADD CHECK (document_hash IS NULL OR fetched_at IS NOT NULL);
UPDATE reports SET changed_xid = DEFAULT WHERE changed_xid IS NULL;
ALTER TABLE reports ALTER COLUMN changed_xid SET NOT NULL;
-- Shared without a link.
UPDATE reports SET shared = false WHERE shared AND share_hash IS NULL;
DROP INDEX reports_without_link;
