-- Whether the raw checks of this kind are kept.
ALTER TABLE report_checks ADD COLUMN store_raw boolean NOT NULL DEFAULT false;

-- The checker's own output for a page, where the report asked for it to be kept.
CREATE TABLE raw_checks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  -- JSON, compressed with zstd.
  raw bytea NOT NULL,
  -- Entries left out because the whole would have been too large.
  omitted integer NOT NULL,
  UNIQUE (web_page_id, kind)
);
ALTER TABLE raw_checks ALTER COLUMN raw SET STORAGE EXTERNAL;

-- The device that the browser takes itself for; null is the default one. The list of devices comes with the program.
ALTER TABLE reports ADD COLUMN device_id uuid;
-- When the next request for a document of this report may be sent, where more than one process sends them.
ALTER TABLE reports ADD COLUMN next_request_at timestamptz;
