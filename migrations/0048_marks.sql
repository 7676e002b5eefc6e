-- Few pages are marks of journeys. Lists find them by the URL that the journey reached, without reading the other pages.
CREATE INDEX web_pages_marks ON web_pages (report_id, id) WHERE reached_url IS NOT NULL;
