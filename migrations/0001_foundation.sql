-- Accounts and their tokens. Every resource has an owner from the first migration on.
CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL,
  name text NOT NULL DEFAULT '',
  plan text NOT NULL DEFAULT 'enterprise' CHECK (plan IN ('free', 'pro', 'enterprise')),
  -- Null is unlimited.
  credits bigint,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_email ON accounts (lower(email));

CREATE TABLE api_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL DEFAULT '',
  scope text NOT NULL CHECK (scope IN ('read', 'write')),
  -- SHA-256 of the token. Tokens are long random words, so a plain hash keeps them secret.
  hash bytea NOT NULL UNIQUE,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_tokens_account ON api_tokens (account_id);

-- A process that works on reports. It holds a session-level advisory lock on its id for as long as it lives, so that
-- the work of a dead one is free the moment its connection is gone.
CREATE SEQUENCE worker_ids AS integer CYCLE;
-- Every claim of a check has a number of its own, so that a result that comes too late is known as such.
CREATE SEQUENCE claim_ids;

CREATE TABLE reports (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  starting_url text NOT NULL,
  domain text NOT NULL,
  initial_urls text[] NOT NULL DEFAULT '{}',
  exclusions text[] NOT NULL DEFAULT '{}',
  max_pages integer NOT NULL CHECK (max_pages > 0),
  rate_limit integer NOT NULL CHECK (rate_limit > 0),
  deep_crawl boolean NOT NULL,
  prefer_canonical_urls boolean NOT NULL,
  device_rotated boolean NOT NULL DEFAULT false,
  shared boolean NOT NULL DEFAULT false,
  tags text[] NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'crawling', 'checking', 'finished', 'failed')),
  crawl_error text,
  num_pages integer NOT NULL DEFAULT 0,
  -- The URL that the starting URL led to after its redirects, which tells what the site is; null until it answered.
  site_url text,
  -- True while the spider has something to do here: a frontier to walk or pages to fetch again.
  crawl_pending boolean NOT NULL DEFAULT true,
  crawled_by integer,
  crawl_claim_id bigint,
  -- How often the crawl broke off through a fault of ours since it last got on.
  crawl_failures integer NOT NULL DEFAULT 0,
  last_checked_at timestamptz,
  finished_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Set when the owner deletes the report: it is gone for everybody at once, its rows are removed in the background.
  deleted_at timestamptz
);
CREATE INDEX reports_account ON reports (account_id, last_checked_at DESC NULLS FIRST, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX reports_crawl_pending ON reports (inserted_at) WHERE crawl_pending AND deleted_at IS NULL;
CREATE INDEX reports_deleted ON reports (deleted_at) WHERE deleted_at IS NOT NULL;

-- The counts of one kind of check over a whole report: the sums over the report's pages, kept in the same transaction.
CREATE TABLE report_checks (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  kind text NOT NULL,
  pending integer NOT NULL DEFAULT 0 CHECK (pending >= 0),
  checked integer NOT NULL DEFAULT 0 CHECK (checked >= 0),
  failed integer NOT NULL DEFAULT 0 CHECK (failed >= 0),
  errors bigint NOT NULL DEFAULT 0 CHECK (errors >= 0),
  warnings bigint NOT NULL DEFAULT 0 CHECK (warnings >= 0),
  minor bigint NOT NULL DEFAULT 0 CHECK (minor >= 0),
  moderate bigint NOT NULL DEFAULT 0 CHECK (moderate >= 0),
  serious bigint NOT NULL DEFAULT 0 CHECK (serious >= 0),
  critical bigint NOT NULL DEFAULT 0 CHECK (critical >= 0),
  PRIMARY KEY (report_id, kind)
);

-- Documents as the servers sent them, compressed with zstd, once per content.
CREATE TABLE documents (
  -- SHA-256 of the uncompressed bytes.
  hash bytea PRIMARY KEY,
  body bytea NOT NULL,
  size integer NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE documents ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE web_pages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  url text NOT NULL,
  linked_from text,
  http_status integer,
  content_type text,
  title text,
  -- Why there is no document to check; null when there is one.
  fetch_error text,
  -- Null when the page gave no document.
  document_hash bytea REFERENCES documents,
  -- Response headers as [name, value] pairs, for the browser.
  headers jsonb NOT NULL DEFAULT '[]',
  -- Set by a re-check until the page was fetched again.
  refetch_pending boolean NOT NULL DEFAULT false,
  last_checked_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX web_pages_url ON web_pages (report_id, url);
CREATE INDEX web_pages_report ON web_pages (report_id, id);
CREATE INDEX web_pages_document ON web_pages (document_hash);
CREATE INDEX web_pages_refetch ON web_pages (report_id, id) WHERE refetch_pending;

-- One check of one page: the work list of the checkers and the page's counts in one row, so that the two cannot differ.
CREATE TABLE checks (
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'checked', 'failed')),
  -- False until there is a document to check: a page being fetched again.
  runnable boolean NOT NULL DEFAULT true,
  -- The page's place in its report. Checkers take low places first, so a small report does not wait behind a big one.
  turn integer NOT NULL,
  claimed_by integer,
  claim_id bigint,
  attempts integer NOT NULL DEFAULT 0,
  begun integer NOT NULL DEFAULT 0,
  error text,
  errors integer NOT NULL DEFAULT 0,
  warnings integer NOT NULL DEFAULT 0,
  minor integer NOT NULL DEFAULT 0,
  moderate integer NOT NULL DEFAULT 0,
  serious integer NOT NULL DEFAULT 0,
  critical integer NOT NULL DEFAULT 0,
  PRIMARY KEY (web_page_id, kind)
);
CREATE INDEX checks_report ON checks (report_id, kind, status);
CREATE INDEX checks_free ON checks (kind, turn, web_page_id) WHERE status = 'pending' AND runnable AND claimed_by IS NULL;
CREATE INDEX checks_claimed ON checks (claimed_by) WHERE claimed_by IS NOT NULL;

-- One kind of issue in a report, of any engine.
CREATE TABLE common_issues (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  kind text NOT NULL,
  -- SHA-256 over everything that makes the kind: type, sub type, message, rule, impact.
  key bytea NOT NULL,
  issue_type text NOT NULL CHECK (issue_type IN ('error', 'warning')),
  issue_sub_type text,
  message text NOT NULL,
  rule_id text,
  help_url text,
  impact text,
  impact_order integer NOT NULL DEFAULT 0,
  tags text[] NOT NULL DEFAULT '{}',
  how_many bigint NOT NULL DEFAULT 0 CHECK (how_many >= 0),
  num_web_pages integer NOT NULL DEFAULT 0 CHECK (num_web_pages >= 0),
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (report_id, kind, key)
);
CREATE INDEX common_issues_html ON common_issues (report_id, issue_type, how_many DESC, id) WHERE kind = 'html';
CREATE INDEX common_issues_a11y ON common_issues (report_id, impact_order DESC, how_many DESC, id) WHERE kind = 'a11y';

-- One kind of issue on one page (and document in it), with all its places.
CREATE TABLE issues (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  common_issue_id bigint NOT NULL REFERENCES common_issues ON DELETE CASCADE,
  report_id uuid NOT NULL,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  -- The place among the page's issues of this kind, from 0.
  position integer NOT NULL,
  -- The frame's URL where it is not the page's own.
  url text,
  how_many integer NOT NULL CHECK (how_many > 0),
  -- JSON, compressed with zstd.
  occurrences bytea NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE issues ALTER COLUMN occurrences SET STORAGE EXTERNAL;
CREATE INDEX issues_page ON issues (web_page_id, kind, position, id);
CREATE INDEX issues_common ON issues (common_issue_id, web_page_id);

-- Every URL that the spider came across in a report, in the order in which it was found: the durable frontier.
CREATE TABLE discovered_urls (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  position integer NOT NULL,
  url text NOT NULL,
  linked_from text,
  -- Links away from the starting URL, which is at 0.
  depth integer NOT NULL,
  -- What became of the URL; null while it waits in the frontier.
  outcome text,
  -- The URL that a redirect or canonical link led to, where the outcome has one.
  target text,
  PRIMARY KEY (report_id, position)
);
CREATE UNIQUE INDEX discovered_urls_url ON discovered_urls (report_id, url);
CREATE INDEX discovered_urls_frontier ON discovered_urls (report_id, position) WHERE outcome IS NULL;

CREATE TABLE excluded_urls (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  url text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('deleted', 'exclusion')),
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX excluded_urls_report ON excluded_urls (report_id, id);
