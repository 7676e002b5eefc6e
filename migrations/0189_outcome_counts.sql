-- The functions that write discovered URLs count their outcomes: `src/store/reports/discovered-urls.ts`.
DROP TRIGGER discovered_urls_inserted ON discovered_urls;
DROP FUNCTION count_new_discovered_urls();
DROP TRIGGER discovered_urls_updated ON discovered_urls;
DROP FUNCTION count_changed_discovered_urls();
