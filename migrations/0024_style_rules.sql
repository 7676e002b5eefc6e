-- The style rule that sets the color of a text: docs/decisions/0055-fix-plan-and-clusters.md.
ALTER TABLE fixes ADD COLUMN style_rule jsonb;
