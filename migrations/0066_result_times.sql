-- When the results of a report last changed. `updated_at` also changes when the report is shared, which changes no answers.
ALTER TABLE reports ADD COLUMN results_at timestamptz NOT NULL DEFAULT now();
UPDATE reports SET results_at = updated_at;

-- Whether somebody who can only read the report asked for the comparison: these do not push out those of its owner.
ALTER TABLE comparisons ADD COLUMN for_reader boolean NOT NULL DEFAULT false;
