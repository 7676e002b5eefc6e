-- What has to be edited, if it is not the element, such as a pair of colors: docs/decisions/0055-fix-plan-and-clusters.md.
ALTER TABLE fixes ADD COLUMN cause text;
