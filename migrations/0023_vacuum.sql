-- An index answers alone for rows that a vacuum has seen since they were changed. The default, a fifth of the table, is more
-- than the greatest report has, whose last pages would wait for the next one's.
ALTER TABLE web_pages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE common_issues SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE issues SET (autovacuum_vacuum_insert_scale_factor = 0.02);
