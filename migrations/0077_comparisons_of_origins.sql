-- Reports of different origins are compared by path: docs/decisions/0066-comparisons-with-other-sites.md. Comparisons by URL are
-- made again when they are asked for.
DELETE FROM comparisons c USING reports r, reports w
WHERE r.id = c.report_id AND w.id = c.with_id AND w.site_id <> r.site_id AND NOT c.is_previous;
