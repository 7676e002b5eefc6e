-- Both style rules of insufficient contrast, with their lines: docs/decisions/0055-fix-plan-and-clusters.md.
ALTER TABLE fixes ADD COLUMN background_rule jsonb, ADD COLUMN edited_color text;

-- Rules of earlier versions.
UPDATE fixes SET style_rule = '{"line": null, "column": null, "property": "color", "value": null}' || style_rule
WHERE style_rule IS NOT NULL;
