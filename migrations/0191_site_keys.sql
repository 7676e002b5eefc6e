-- The statements that find sites compute their keys: `src/store/reports/sites.ts`.
DROP FUNCTION site_key(jsonb, jsonb);
