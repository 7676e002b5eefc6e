-- What a person has decided about issues of a site: docs/decisions/0138-decisions.md.
CREATE TABLE decisions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id uuid NOT NULL REFERENCES sites ON DELETE CASCADE,
  -- What it applies to: `rule`, all occurrences of the issue type on the site; `cause`, the occurrences in a cluster; or
  -- `occurrence`, one of a page.
  scope text NOT NULL CHECK (scope IN ('occurrence', 'cause', 'rule')),
  kind text NOT NULL,
  -- Of the issue type, as in `common_issues`.
  type_fingerprint bytea NOT NULL,
  -- The cluster of a cause. Null for the other scopes.
  cluster bytea,
  -- The page and the fingerprint of an occurrence. Null for the other scopes.
  page_url text,
  fingerprint bytea,
  verdict text NOT NULL CHECK (verdict IN ('error', 'not_an_error', 'later')),
  note text NOT NULL DEFAULT '',
  -- The name of the person who decided, or the address without a name.
  assessor text NOT NULL,
  -- What the person saw: the message, the rule, its impact and the markup of the occurrence.
  message text NOT NULL,
  rule_id text,
  impact text,
  markup text NOT NULL,
  decided_at timestamptz NOT NULL DEFAULT now(),
  -- It applies to this report of the site, and to all that were created after it.
  since_report uuid NOT NULL,
  -- When it was undone. It disappears immediately; its issues change back in the background.
  deleted_at timestamptz,
  -- Whether existing reports have yet to be updated. As in `mutings`.
  walk_pending boolean NOT NULL DEFAULT true,
  walked_report uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  walked_page bigint,
  walked_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((scope = 'cause') = (cluster IS NOT NULL)),
  CHECK ((scope = 'occurrence') = (page_url IS NOT NULL AND fingerprint IS NOT NULL))
);
CREATE UNIQUE INDEX decisions_target ON decisions (site_id, kind, type_fingerprint, scope, coalesce(cluster, fingerprint, ''),
  hashtextextended(coalesce(page_url, ''), 0)) WHERE deleted_at IS NULL;
CREATE INDEX decisions_site ON decisions (site_id, id) WHERE deleted_at IS NULL;
CREATE INDEX decisions_walk ON decisions (walked_at) WHERE walk_pending;

ALTER TABLE common_issues
  -- What a person has decided about all its occurrences. Null: nothing. Decided occurrences are issues of a type of their own.
  ADD COLUMN verdict text CHECK (verdict IN ('error', 'not_an_error', 'later')),
  -- `key` and `issue_type` as the check found them. Null without a verdict.
  ADD COLUMN found_key bytea,
  ADD COLUMN found_type text;
-- Whether no issue counts, regardless of mutings: all are then `muted`.
ALTER TABLE common_issues ADD COLUMN uncounted boolean NOT NULL
  GENERATED ALWAYS AS (outside_standard OR coalesce(verdict = 'not_an_error', false)) STORED;

ALTER TABLE issues
  -- The decision about its occurrences. Null for none.
  ADD COLUMN decision_id bigint,
  -- The positions of its occurrences in the issue as the check found it. Null for all of them.
  ADD COLUMN found_positions integer[];
CREATE INDEX issues_decision ON issues (decision_id) WHERE decision_id IS NOT NULL;

ALTER TABLE cluster_lists DROP CONSTRAINT cluster_lists_muted_check,
  ADD CONSTRAINT cluster_lists_muted_check CHECK (muted IN ('false', 'true', 'outside_standard', 'not_an_error', 'all'));

DROP VIEW issues_at_end;
CREATE VIEW issues_at_end AS
SELECT i.id, i.common_issue_id, i.report_id, i.web_page_id, i.kind, k.fingerprint AS type_fingerprint, k.issue_type, k.message,
  k.rule_id, k.impact, k.rank, i.how_many,
  coalesce(i.muted_at_end, i.muted) OR i.muted_retroactively OR k.uncounted AS muted, k.outside_standard, i.fingerprints, i.traces
FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
WHERE NOT EXISTS (
  SELECT FROM checks_before_recheck b WHERE b.web_page_id = i.web_page_id AND b.kind = i.kind AND b.is_replaced)
UNION ALL
SELECT NULL, NULL, report_id, web_page_id, kind, type_fingerprint, issue_type, message, rule_id, impact, rank, how_many,
  muted OR muted_retroactively OR outside_standard, outside_standard, fingerprints, traces
FROM issues_before_recheck;
