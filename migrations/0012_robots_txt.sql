-- Whether the spider keeps to the site's robots.txt.
ALTER TABLE reports ADD COLUMN respect_robots_txt boolean NOT NULL DEFAULT false;
