-- Whether to take a screenshot of each page in its accessibility check.
ALTER TABLE reports ADD COLUMN store_screenshots boolean NOT NULL DEFAULT false;

-- Pictures of pages, once per content. Equal pictures of several pages, reports and runs of a schedule share a row.
CREATE TABLE screenshot_images (
  -- SHA-256 of the picture.
  hash bytea PRIMARY KEY,
  -- WebP.
  image bytea NOT NULL,
  -- In pixels of the picture.
  width integer NOT NULL,
  height integer NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE screenshot_images ALTER COLUMN image SET STORAGE EXTERNAL;

-- The screenshot of a page in its latest check of a kind.
CREATE TABLE screenshots (
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  image_hash bytea NOT NULL REFERENCES screenshot_images,
  -- Pixels of the picture per CSS pixel of the page.
  scale real NOT NULL,
  -- Whether the page is larger than the picture shows.
  clipped boolean NOT NULL,
  taken_at timestamptz NOT NULL,
  PRIMARY KEY (web_page_id, kind)
);
CREATE INDEX screenshots_image ON screenshots (image_hash);
