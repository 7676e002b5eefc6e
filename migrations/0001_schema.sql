-- The schema of sitewarden. `folded` columns ignore case; `sealed` columns are encrypted: docs/decisions/0031-stored-secrets.md.

-- ===== Accounts and sign-in =====

-- Accounts. Everything else belongs to an account, directly or through its report.
CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL,
  name text NOT NULL DEFAULT '',
  plan text NOT NULL DEFAULT 'enterprise' CHECK (plan IN ('free', 'pro', 'enterprise')),
  -- The balance in `credit_entries`. Null: unlimited.
  credits bigint CHECK (credits >= 0),
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
-- Email addresses are unique regardless of the case of ASCII letters.
CREATE UNIQUE INDEX accounts_email ON accounts (lower(email COLLATE "C"));

-- API tokens of accounts.
CREATE TABLE api_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL DEFAULT '',
  scope text NOT NULL CHECK (scope IN ('read', 'write')),
  -- SHA-256 of the token. A plain hash is secure because tokens are long and random.
  hash bytea NOT NULL UNIQUE,
  -- Null: the token doesn't expire.
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- Whether the token is from SITEWARDEN_ADMIN_TOKEN. If the setting changes, the new token replaces this one.
  from_setting boolean NOT NULL DEFAULT false
);
CREATE INDEX api_tokens_account ON api_tokens (account_id);
CREATE INDEX api_tokens_from_setting ON api_tokens (id) WHERE from_setting;

-- The first responses to POST requests with an `Idempotency-Key`. Repeated requests get the same response for 24 hours.
CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- SHA-256 of the key. The key itself isn't stored because it decrypts the response.
  key_hash bytea NOT NULL,
  -- SHA-256 of the method, URL and body.
  request_hash bytea NOT NULL,
  -- The response, encrypted with the key. Null only within the transaction that handles the request.
  answer bytea,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX idempotency_keys_inserted ON idempotency_keys (inserted_at);

-- Passwords. An account without a row has none.
CREATE TABLE passwords (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  -- Argon2id in the PHC string format, which includes parameters and salt.
  hash text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The identities of accounts at OpenID Connect providers.
CREATE TABLE oidc_identities (
  issuer text NOT NULL,
  -- The provider's id of the user.
  subject text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT oidc_identities_account_id_issuer_key UNIQUE (account_id, issuer),
  PRIMARY KEY (issuer, subject)
);

-- Signed-in browsers. A session that ends is deleted.
CREATE TABLE sessions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- SHA-256 of the cookie's value.
  hash bytea NOT NULL UNIQUE,
  user_agent text,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- To the minute.
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  -- The account's previous email address, if it was changed in another session. Null once this session has shown it.
  former_email text
);
CREATE INDEX sessions_account ON sessions (account_id, last_seen_at);

-- Links to set the password of an account. Each works once.
CREATE TABLE sign_in_links (
  -- SHA-256 of the secret in the link.
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Whether the link is for the first start. It also sets the name and email address, as long as no one can sign in.
  for_owner boolean NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_account ON sign_in_links (account_id);

-- Attempts to sign in or up, counted for a minute from `began_at`.
CREATE TABLE sign_in_attempts (
  -- SHA-256 of what the limit applies to.
  key bytea PRIMARY KEY,
  attempts integer NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_began ON sign_in_attempts (began_at);

-- ===== Credits =====

-- The ledger of credits. The entries of an account always add up to its balance, `accounts.credits`, or to 0 if it is unlimited.
CREATE TABLE credit_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Negative if credits were spent.
  amount bigint NOT NULL,
  -- One of `CREDIT_REASONS` in src/store/schema.ts.
  reason text NOT NULL,
  -- The balance after this entry. Null: it became unlimited.
  balance bigint CHECK (balance >= 0),
  -- The report that the credits were spent on; null if there is none. No foreign key: entries outlive their reports.
  report_id uuid,
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX credit_entries_account ON credit_entries (account_id, id DESC);

-- API requests that don't add up to a whole credit yet.
CREATE TABLE api_usage (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  requests integer NOT NULL
);

-- ===== Guests: docs/decisions/0010-guest-accounts-and-plans.md =====

-- A share in the host's plan and credits. It starts as an invitation; the account that accepts the invitation becomes the guest.
CREATE TABLE guest_accounts (
  -- Also called the guest token.
  id text PRIMARY KEY CHECK (id ~ '^G[0-9A-F]{9}$'),
  host_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  guest_id uuid REFERENCES accounts ON DELETE CASCADE,
  -- Maximum credits per month.
  max_usage bigint NOT NULL CHECK (max_usage > 0),
  -- Credits used in `usage_month`, the first day of a month in UTC. In any other month, the usage is 0: no job resets it.
  usage bigint NOT NULL DEFAULT 0 CHECK (usage >= 0),
  usage_month date NOT NULL DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC'),
  accepted_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When the host ended the sharing. The row remains because reports refer to it.
  deleted_at timestamptz,
  -- SHA-256 of the secret of the invitation.
  invitation_hash bytea NOT NULL UNIQUE,
  -- The secret, encrypted, to show it again. Null once the invitation is accepted or deleted.
  invitation_sealed bytea,
  CONSTRAINT guest_accounts_check CHECK (guest_id <> host_id),
  CONSTRAINT guest_accounts_check1 CHECK ((guest_id IS NULL) = (accepted_at IS NULL))
);
CREATE INDEX guest_accounts_guest ON guest_accounts (guest_id, accepted_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX guest_accounts_host ON guest_accounts (host_id, inserted_at DESC, id DESC) WHERE deleted_at IS NULL;

-- ===== Sites and schedules =====

-- Sites of accounts. Reports with the same settings belong to the same site; tags, sharing and the rate limit don't count:
-- docs/decisions/0050-sites.md.
CREATE TABLE sites (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- SHA-256 of the settings, computed by `siteKey` in src/store/reports/sites.ts.
  key bytea NOT NULL,
  starting_url text NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sites_account_id_key_key UNIQUE (account_id, key)
);

-- A report definition that runs repeatedly: at 00:00 UTC on some days, or when its deploy hook is called.
CREATE TABLE schedules (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The attributes of its reports, as JSON so that a new attribute doesn't require a column here.
  definition jsonb NOT NULL,
  -- Null if only the deploy hook runs it.
  periodicity jsonb,
  active boolean NOT NULL,
  -- Null if it doesn't run by itself.
  next_run_at timestamptz,
  -- When it last created a report.
  last_run_at timestamptz,
  hook_called_at timestamptz,
  -- The report of the last call of the hook. No foreign key: deleting a report doesn't wait for its schedule.
  hook_report_id uuid,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Credentials for the site, encrypted for this row. Null without credentials.
  site_access bytea,
  -- SHA-256 of the secret in the URL of the deploy hook.
  hook_hash bytea NOT NULL,
  -- The secret, encrypted, to show it again.
  hook_sealed bytea,
  -- Which issues make a run of the schedule fail.
  fail_on text[] NOT NULL DEFAULT '{error}',
  -- How calls must be signed. Null: the URL is enough.
  hook_signature text,
  -- The secret for signatures, encrypted for this row. Null without `hook_signature`.
  hook_signing_sealed bytea,
  -- Why the last attempt created no report. Null if it did.
  last_run_error jsonb,
  CONSTRAINT schedules_check CHECK (next_run_at IS NULL OR (active AND periodicity IS NOT NULL)),
  CONSTRAINT schedules_check1 CHECK ((hook_signature IS NULL) = (hook_signing_sealed IS NULL))
);
CREATE INDEX schedules_account ON schedules (account_id, id DESC);
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL;
-- The next run of a site: schedules of its account with its starting URL, hashed because it may be too long for an index.
CREATE INDEX schedules_next ON schedules (account_id, md5(definition ->> 'starting_url')) WHERE next_run_at IS NOT NULL;

-- Ids of signed calls of deploy hooks, kept for a day, so that a repeated call creates no second report.
CREATE TABLE hook_messages (
  schedule_id uuid NOT NULL REFERENCES schedules ON DELETE CASCADE,
  -- SHA-256 of the id.
  id_hash bytea NOT NULL,
  -- The report that the first call returned.
  report_id uuid NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schedule_id, id_hash)
);
CREATE INDEX hook_messages_by_age ON hook_messages (received_at);

-- ===== Reports and crawls =====

-- Reports, with a column for each attribute of their definition (src/domain/report-attributes.ts) except their checks.
CREATE TABLE reports (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  starting_url text NOT NULL,
  domain text NOT NULL,
  -- Additional URLs from which the spider starts.
  initial_urls text[] NOT NULL DEFAULT '{}',
  -- URLs to skip: the beginning of a URL, or any part of its path and query.
  exclusions text[] NOT NULL DEFAULT '{}',
  max_pages integer NOT NULL CHECK (max_pages > 0),
  -- Maximum requests to the site per second.
  rate_limit integer NOT NULL CHECK (rate_limit > 0),
  -- Whether the spider follows the links of all pages, or only the links of the starting page.
  deep_crawl boolean NOT NULL,
  -- Whether a page with a canonical URL on the same site is listed under that URL.
  prefer_canonical_urls boolean NOT NULL,
  -- Whether the width and height of the device's viewport are swapped.
  device_rotated boolean NOT NULL DEFAULT false,
  -- Whether accounts that know the report's id, and anyone with its share link, can read it.
  shared boolean NOT NULL DEFAULT false,
  tags text[] NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'crawling', 'checking', 'finished', 'failed')),
  -- Includes URLs that returned an error or did not respond.
  num_pages integer NOT NULL DEFAULT 0,
  -- The URL that the starting URL redirects to, which determines what belongs to the site. Null until it has responded.
  site_url text,
  -- Whether the spider has work to do: URLs to visit, or pages to fetch again.
  crawl_pending boolean NOT NULL DEFAULT true,
  -- The worker that runs the crawl; null if none does.
  crawled_by integer,
  -- The worker's claim, from `claim_ids`.
  crawl_claim_id bigint,
  -- How often the crawl was claimed since it last made progress.
  crawl_failures integer NOT NULL DEFAULT 0,
  last_checked_at timestamptz,
  -- When the report first ended, as finished or failed.
  finished_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When the owner deleted the report. It disappears immediately; its rows are removed in the background.
  deleted_at timestamptz,
  -- The guest account that the report was created with. Its host can read and manage the report, and pays for it.
  guest_account_id text REFERENCES guest_accounts ON DELETE SET NULL,
  -- The schedule that created the report. Null if there is none, or if it was deleted.
  schedule_id uuid REFERENCES schedules ON DELETE SET NULL,
  -- The device that the browser emulates; null for the default. The list of devices is part of the program.
  device_id uuid,
  respect_robots_txt boolean NOT NULL DEFAULT false,
  -- Whether the crawl found no page that could be checked; null until it has ended. Later changes of pages don't affect it.
  crawl_failed boolean,
  -- Whether pages are rendered in a browser to find the links that scripts add.
  dynamic_crawler boolean NOT NULL DEFAULT false,
  -- HTTP Basic credentials, headers and cookies for the site, encrypted with the installation's key for this row. Null for none.
  site_access bytea,
  -- Discovered URLs that didn't fit into a full list. A URL counts once for each page that contains it.
  urls_not_kept bigint NOT NULL DEFAULT 0,
  -- A CSS selector: pages with scripts are checked when an element matches it. Null: when they stop changing.
  wait_for text,
  -- The account that the work counts for, set when the report is created: the host of its guest account, or else its owner.
  -- Workers take work from the account with the least running work first.
  payer_id uuid NOT NULL,
  -- Why the crawl failed or ended early. Null if it did neither.
  crawl_error jsonb,
  -- The hosts that the crawl is known to request, without port and `www.`. A worker claims them in `host_claims`.
  crawl_hosts text[] NOT NULL DEFAULT '{}',
  -- Whether the insights of the finished report have to be computed: its diff with the previous report and its fix plan.
  insights_pending boolean NOT NULL DEFAULT false,
  site_id uuid NOT NULL REFERENCES sites,
  -- Pages whose checks have all run.
  checked_pages integer NOT NULL DEFAULT 0 CHECK (checked_pages >= 0),
  -- Checked pages without errors that aren't muted.
  passed_pages integer NOT NULL DEFAULT 0 CHECK (passed_pages >= 0),
  -- Until when one process has the exclusive right to compute the insights. Null without a claim.
  insights_claimed_until timestamptz,
  -- The transaction that last changed the report. Compared with a snapshot, it shows whether a reader has seen the change, even
  -- if transactions commit out of order.
  changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- SHA-256 of the secret in the share link. Null while the report has none.
  share_hash bytea,
  -- The secret, encrypted, to show it again.
  share_sealed bytea,
  -- Whether the accessibility check takes a screenshot of each page.
  store_screenshots boolean NOT NULL DEFAULT false,
  -- `fail_on` of the schedule when it created the report. Null for other reports.
  fail_on text[],
  -- Issues and unchecked pages that make the run fail. Null until the insights are computed, or without `fail_on`.
  num_failing bigint,
  -- When the results last changed. Diffs are valid as long as it stays the same. Sharing only changes `updated_at`.
  results_at timestamptz NOT NULL DEFAULT now(),
  -- Whether the command `check` deletes the report after showing it. No channel is notified of it.
  temporary boolean NOT NULL DEFAULT false
);
CREATE INDEX reports_account ON reports (account_id, last_checked_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX reports_changed ON reports (account_id, changed_xid) WHERE deleted_at IS NULL;
CREATE INDEX reports_crawl_waiting ON reports (payer_id, inserted_at)
  WHERE crawl_pending AND crawled_by IS NULL AND deleted_at IS NULL;
CREATE INDEX reports_crawled ON reports (crawled_by, payer_id) WHERE crawled_by IS NOT NULL;
CREATE INDEX reports_deleted ON reports (deleted_at) WHERE deleted_at IS NOT NULL;
-- For statistics of the reports that finished in a period.
CREATE INDEX reports_finished ON reports (account_id, finished_at) WHERE deleted_at IS NULL;
CREATE INDEX reports_guest_account ON reports (guest_account_id, last_checked_at DESC, id DESC)
  WHERE guest_account_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX reports_guest_changed ON reports (guest_account_id, changed_xid)
  WHERE guest_account_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX reports_guest_walk ON reports (guest_account_id, id) WHERE guest_account_id IS NOT NULL AND deleted_at IS NULL;
-- For the deletion of reports after the retention period.
CREATE INDEX reports_inserted ON reports (inserted_at) WHERE deleted_at IS NULL;
CREATE INDEX reports_insights_pending ON reports (finished_at) WHERE insights_pending;
-- For the newest report of a schedule.
CREATE INDEX reports_of_schedule ON reports (schedule_id, inserted_at DESC, id DESC)
  WHERE schedule_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX reports_schedule ON reports (schedule_id, last_checked_at DESC, id DESC) WHERE schedule_id IS NOT NULL;
CREATE UNIQUE INDEX reports_share_hash ON reports (share_hash) WHERE share_hash IS NOT NULL;
CREATE INDEX reports_site ON reports (site_id, inserted_at DESC, id DESC);
CREATE INDEX reports_walk ON reports (account_id, id) WHERE deleted_at IS NULL;

-- Reports that an account can no longer see, kept for 25 hours for clients that reconnect within a day.
CREATE TABLE report_absences (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Null: an unknown number of reports.
  report_id uuid,
  -- The transaction that made the report inaccessible; see `reports.changed_xid`.
  changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX report_absences_account ON report_absences (account_id, changed_xid);
CREATE INDEX report_absences_inserted ON report_absences (inserted_at);

-- The URLs that the spider found, and the durable frontier of the crawl: docs/decisions/0023-discovered-urls.md.
CREATE TABLE discovered_urls (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- In the order of discovery; the starting URL has 0.
  position integer NOT NULL,
  url text COLLATE "C" NOT NULL,
  -- The page on which the URL was first found. Null for the starting and initial URLs.
  linked_from text,
  -- Distance from the starting and initial URLs, in links.
  depth integer NOT NULL,
  -- One of `URL_OUTCOMES` in src/domain/crawl.ts. `waiting`: the URL is in the frontier.
  outcome text NOT NULL DEFAULT 'waiting',
  -- The URL that a redirect or canonical link leads to. Null for other outcomes.
  target text,
  -- For searches, which ignore case.
  folded_url text GENERATED ALWAYS AS (casefold(url COLLATE pg_unicode_fast)) STORED NOT NULL,
  -- Null if the URL was not requested or did not respond.
  http_status integer,
  -- Explains the outcome, such as why the request failed. Null if there is nothing to add.
  detail jsonb,
  PRIMARY KEY (report_id, position) INCLUDE (outcome, folded_url)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX discovered_urls_outcome ON discovered_urls (report_id, outcome, position);
CREATE UNIQUE INDEX discovered_urls_url ON discovered_urls (report_id, url) INCLUDE (position, outcome);

-- The number of URLs with each outcome, maintained by src/store/reports/discovered-urls.ts.
CREATE TABLE discovered_url_counts (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  outcome text NOT NULL,
  how_many bigint NOT NULL CHECK (how_many >= 0),
  PRIMARY KEY (report_id, outcome)
);

-- The exclusions of reports, and the URLs of pages that were deleted from them.
CREATE TABLE excluded_urls (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  url text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('deleted', 'exclusion')),
  inserted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX excluded_urls_report ON excluded_urls (report_id, id);

-- ===== Pages, documents and checks =====

-- Documents as the servers sent them, compressed with zstd. Pages with equal documents share a row.
CREATE TABLE documents (
  -- SHA-256 of the uncompressed bytes.
  hash bytea PRIMARY KEY,
  body bytea STORAGE EXTERNAL NOT NULL,
  -- Uncompressed, in bytes.
  size integer NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now()
);

-- Pages of reports, including URLs that returned an error or did not respond.
CREATE TABLE web_pages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  url text COLLATE "C" NOT NULL,
  -- The page on which the URL was first found. Null for the starting and initial URLs.
  linked_from text,
  -- Null if the page did not respond.
  http_status integer,
  content_type text,
  title text,
  -- Null if the page returned no document.
  document_hash bytea REFERENCES documents (hash),
  -- Response headers as [name, value] pairs, for the browser that shows the document.
  headers jsonb NOT NULL DEFAULT '[]',
  -- Whether a re-check is waiting for the page to be fetched again.
  refetch_pending boolean NOT NULL DEFAULT false,
  last_checked_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Derived from the page's checks by the triggers on `checks`.
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'checking', 'checked', 'failed')),
  -- Why the page could not be rendered. Null if it was, or did not have to be.
  render_error jsonb,
  -- For searches and mutings, which ignore case.
  folded_url text GENERATED ALWAYS AS (casefold(url COLLATE pg_unicode_fast)) STORED NOT NULL,
  -- For sorting. The first 200 characters, to fit into the index.
  folded_title text COLLATE "C" GENERATED ALWAYS AS (left(casefold(title COLLATE pg_unicode_fast), 200)) STORED,
  -- When the document was fetched. Null without a document.
  fetched_at timestamptz,
  CONSTRAINT web_pages_check CHECK (document_hash IS NULL OR fetched_at IS NOT NULL)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX web_pages_document ON web_pages (document_hash);
CREATE INDEX web_pages_http_status ON web_pages (report_id, http_status NULLS FIRST, id);
CREATE INDEX web_pages_refetch ON web_pages (report_id, id) WHERE refetch_pending;
CREATE INDEX web_pages_report ON web_pages (report_id, id) INCLUDE (folded_url);
CREATE INDEX web_pages_status ON web_pages (report_id, status, id);
CREATE INDEX web_pages_title ON web_pages (report_id, folded_title NULLS FIRST, id);
CREATE UNIQUE INDEX web_pages_url ON web_pages (report_id, url) INCLUDE (id);

-- One check of one page. The row is both the job and the page's counts, so that they can't differ.
CREATE TABLE checks (
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  -- The engine, such as `html`.
  kind text NOT NULL,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'checked', 'failed')),
  -- Whether there is a document to check. False while the page is fetched again.
  runnable boolean NOT NULL DEFAULT true,
  -- The position of the page in its report, from 1. Low positions are claimed first, so small reports don't wait for large ones.
  turn integer NOT NULL,
  -- The worker that runs the check; null if none does.
  claimed_by integer,
  -- The worker's claim, from `claim_ids`.
  claim_id bigint,
  -- How often the check was claimed. Claims that were released without a result don't count.
  attempts integer NOT NULL DEFAULT 0,
  -- Occurrences of errors and warnings that aren't muted.
  errors integer NOT NULL DEFAULT 0,
  warnings integer NOT NULL DEFAULT 0,
  -- `minor` to `critical`: occurrences by impact, including issues that need review. 0 for engines that don't grade issues.
  minor integer NOT NULL DEFAULT 0,
  moderate integer NOT NULL DEFAULT 0,
  serious integer NOT NULL DEFAULT 0,
  critical integer NOT NULL DEFAULT 0,
  -- The account that paid the credits. Null if its credits were unlimited, or if nothing was paid.
  paid_by uuid,
  -- The first day of the month in which the check counts as the guest's usage. Null without a guest.
  usage_month date,
  -- Remarks on how the page was checked, as [{code, params}].
  notes jsonb NOT NULL DEFAULT '[]',
  -- A copy of `reports.payer_id`, for the index of free checks.
  payer_id uuid NOT NULL,
  -- Claims with which the check was started again after an earlier claim never ended: `recordStart` in src/queue/claims.ts.
  begun_claims bigint[] NOT NULL DEFAULT '{}',
  -- Why the check failed. Null if it did not.
  error jsonb,
  -- The versions of the programs that made the result, such as `axe-core 4.14.1, Chromium 156.0.8078.73`. Null without a result,
  -- or if it doesn't depend on them.
  engine_version text,
  -- `status`, with `checked` divided into `passed` and `with_errors`, for filters and sorting.
  state text COLLATE "C" GENERATED ALWAYS AS (
    CASE WHEN status <> 'checked' THEN status WHEN errors > 0 THEN 'with_errors' ELSE 'passed' END
  ) STORED NOT NULL,
  -- The document (its hash) and engine of the result that the next result is compared with. Null if there is none.
  before_document bytea,
  before_engine text,
  -- The result of the last re-check, as {fixed, still, new, cause, checked_at}. Null if the results were not compared.
  recheck jsonb,
  -- Occurrences of errors alone, by impact.
  minor_errors integer NOT NULL DEFAULT 0,
  moderate_errors integer NOT NULL DEFAULT 0,
  serious_errors integer NOT NULL DEFAULT 0,
  critical_errors integer NOT NULL DEFAULT 0,
  -- A digest of the style sheets, scripts and fonts that the page was shown with; null if unknown:
  -- docs/decisions/0135-results-that-vary.md.
  resources bytea,
  -- `resources` of the result that the next result is compared with.
  before_resources bytea,
  PRIMARY KEY (web_page_id, kind)
);
CREATE INDEX checks_claimed ON checks (claimed_by) WHERE claimed_by IS NOT NULL;
CREATE INDEX checks_errors ON checks (report_id, kind, errors, web_page_id) INCLUDE (state);
-- For claims: the free checks of each account, in order.
CREATE INDEX checks_free ON checks (kind, payer_id, turn, web_page_id)
  WHERE status = 'pending' AND runnable AND claimed_by IS NULL;
CREATE INDEX checks_state ON checks (report_id, kind, state, web_page_id);

-- Maintains `web_pages.status`.
CREATE FUNCTION keep_page_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- The array makes PostgreSQL look pages up by index, however many there were when it planned the statement.
  UPDATE web_pages w SET status = s.status
  FROM (
    SELECT web_page_id, CASE WHEN bool_or(status = 'failed') THEN 'failed' WHEN bool_and(status = 'checked') THEN 'checked'
      WHEN bool_or(status = 'checked') THEN 'checking' ELSE 'pending' END AS status
    FROM checks WHERE web_page_id = ANY(ARRAY(SELECT DISTINCT web_page_id FROM changed)) GROUP BY web_page_id
  ) s
  WHERE w.id = s.web_page_id AND w.status <> s.status;
  RETURN NULL;
END $function$;
CREATE TRIGGER page_status_inserted AFTER INSERT ON checks
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_page_status();
CREATE TRIGGER page_status_updated AFTER UPDATE ON checks
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_page_status();

-- The counts of one kind of check in a report: the sums over its pages, updated in the same transaction.
CREATE TABLE report_checks (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  kind text NOT NULL,
  -- `pending`, `checked` and `failed`: the number of checks with each status.
  pending integer NOT NULL DEFAULT 0 CHECK (pending >= 0),
  checked integer NOT NULL DEFAULT 0 CHECK (checked >= 0),
  failed integer NOT NULL DEFAULT 0 CHECK (failed >= 0),
  -- Occurrences, as in the columns of `checks` with the same names.
  errors bigint NOT NULL DEFAULT 0 CHECK (errors >= 0),
  warnings bigint NOT NULL DEFAULT 0 CHECK (warnings >= 0),
  minor bigint NOT NULL DEFAULT 0 CHECK (minor >= 0),
  moderate bigint NOT NULL DEFAULT 0 CHECK (moderate >= 0),
  serious bigint NOT NULL DEFAULT 0 CHECK (serious >= 0),
  critical bigint NOT NULL DEFAULT 0 CHECK (critical >= 0),
  -- Whether the raw checks of this kind are stored.
  store_raw boolean NOT NULL DEFAULT false,
  -- The order in which the checks of a page are paid for if credits run out.
  position smallint NOT NULL DEFAULT 0,
  -- Checked pages with errors that aren't muted. The other checked pages have passed.
  with_errors integer NOT NULL DEFAULT 0,
  minor_errors bigint NOT NULL DEFAULT 0 CHECK (minor_errors >= 0),
  moderate_errors bigint NOT NULL DEFAULT 0 CHECK (moderate_errors >= 0),
  serious_errors bigint NOT NULL DEFAULT 0 CHECK (serious_errors >= 0),
  critical_errors bigint NOT NULL DEFAULT 0 CHECK (critical_errors >= 0),
  -- Causes of errors that the fix plan leaves out: docs/decisions/0055-fix-plan-and-clusters.md.
  causes_left_out integer NOT NULL DEFAULT 0,
  PRIMARY KEY (report_id, kind)
);

-- The engine's output for a page, if the report requested it.
CREATE TABLE raw_checks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  -- JSON, compressed with zstd.
  raw bytea STORAGE EXTERNAL NOT NULL,
  -- Entries left out because the output was too large.
  omitted integer NOT NULL,
  CONSTRAINT raw_checks_web_page_id_kind_key UNIQUE (web_page_id, kind)
);

-- Images of screenshots. Equal images of several pages, reports and runs share a row: docs/decisions/0052-screenshots.md.
CREATE TABLE screenshot_images (
  -- SHA-256 of the image.
  hash bytea PRIMARY KEY,
  -- WebP.
  image bytea STORAGE EXTERNAL NOT NULL,
  -- `width` and `height`: in pixels of the image.
  width integer NOT NULL,
  height integer NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now()
);

-- The screenshot of a page in its latest check of each kind.
CREATE TABLE screenshots (
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  image_hash bytea NOT NULL REFERENCES screenshot_images (hash),
  -- Pixels of the image per CSS pixel of the page.
  scale real NOT NULL,
  -- Whether the page is larger than the image.
  clipped boolean NOT NULL,
  taken_at timestamptz NOT NULL,
  PRIMARY KEY (web_page_id, kind)
);
CREATE INDEX screenshots_image ON screenshots (image_hash);

-- ===== Issues and fixes =====

-- Folds tags for filters that ignore case. A generated column can't contain the subquery itself.
CREATE FUNCTION folded_tags(tags text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT casefold((tag.tag COLLATE pg_unicode_fast)) AS casefold FROM unnest(folded_tags.tags) tag(tag));

-- Common issues: the issue types in a report, of all engines.
CREATE TABLE common_issues (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  kind text NOT NULL,
  -- SHA-256 of everything that distinguishes the type: type, subtype, message, rule and impact.
  key bytea NOT NULL,
  issue_type text NOT NULL CHECK (issue_type IN ('error', 'warning')),
  issue_sub_type text,
  message text NOT NULL,
  rule_id text,
  help_url text,
  impact text,
  -- From 1 (minor) to 4 (critical); 0 without an impact.
  impact_order integer NOT NULL DEFAULT 0,
  tags text[] NOT NULL DEFAULT '{}',
  -- `how_many` and `num_web_pages`: occurrences that aren't muted, and the pages that have them.
  how_many bigint NOT NULL DEFAULT 0 CHECK (how_many >= 0),
  num_web_pages integer NOT NULL DEFAULT 0 CHECK (num_web_pages >= 0),
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Muted occurrences, and the pages that have them.
  muted_how_many bigint NOT NULL DEFAULT 0 CHECK (muted_how_many >= 0),
  muted_num_web_pages integer NOT NULL DEFAULT 0 CHECK (muted_num_web_pages >= 0),
  folded_tags text[] GENERATED ALWAYS AS (folded_tags(tags)) STORED NOT NULL,
  -- For filters and mutings, which ignore case. Null if it has more than 1,000 bytes, and wouldn't fit into the indexes.
  folded_message text GENERATED ALWAYS AS (
    CASE WHEN octet_length(casefold(message COLLATE pg_unicode_fast)) <= 1000 THEN casefold(message COLLATE pg_unicode_fast) END
  ) STORED,
  -- The order of lists: errors first, then issues that need review, then warnings; each group by impact, the worst first.
  rank integer GENERATED ALWAYS AS (
    CASE WHEN issue_type = 'error' THEN -impact_order WHEN impact_order > 0 THEN 5 - impact_order ELSE 5 END
  ) STORED NOT NULL,
  -- Identifies the issue type across reports, in 16 bytes: docs/decisions/0053-issue-identity.md.
  fingerprint bytea NOT NULL,
  -- The change since the previous report. Null until the diff is computed, or without a previous report.
  change text,
  -- When the site first had the issue type, from `first_sightings`. Null until the insights are computed.
  first_seen_at timestamptz,
  -- Numbers of occurrences by their change since the previous report, without zeros. Null like `change`.
  changed_occurrences jsonb,
  -- Occurrences in the previous report. Null like `change`.
  how_many_before bigint,
  CONSTRAINT common_issues_report_id_kind_key_key UNIQUE (report_id, kind, key)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
-- Finds the common issues of the types in `issue_changes`.
CREATE INDEX common_issues_fingerprint ON common_issues (report_id, kind, fingerprint);
-- Finds the messages without `folded_message`, which filters have to fold.
CREATE INDEX common_issues_long ON common_issues (report_id) WHERE folded_message IS NULL;
CREATE INDEX common_issues_muted_ranked ON common_issues (report_id, kind, rank, muted_how_many DESC, id)
  INCLUDE (muted_num_web_pages, issue_type, impact_order, folded_message, folded_tags)
  WHERE muted_how_many > 0;
CREATE INDEX common_issues_ranked ON common_issues (report_id, kind, rank, how_many DESC, id)
  INCLUDE (num_web_pages, muted_how_many, muted_num_web_pages, issue_type, impact_order, folded_message, folded_tags);

-- An issue type on one page, or in one frame of it, with all its occurrences.
CREATE TABLE issues (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  common_issue_id bigint NOT NULL REFERENCES common_issues ON DELETE CASCADE,
  report_id uuid NOT NULL,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  -- The position among the page's issues of this kind, from 0.
  position integer NOT NULL,
  -- The URL of the frame; null for the page's document.
  url text,
  -- The number of occurrences.
  how_many integer NOT NULL CHECK (how_many > 0),
  -- The engine's description of each occurrence: JSON, compressed with zstd.
  occurrences bytea STORAGE EXTERNAL NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Whether any muting mutes the issue. Updated in the same transaction as all counts.
  muted boolean NOT NULL DEFAULT false,
  -- The ids of the mutings that mute the issue, in ascending order: their counts stay exact when one changes. Null for none.
  mutings bigint[],
  -- 16 bytes for each occurrence, in the order of `occurrences`: docs/decisions/0053-issue-identity.md.
  fingerprints bytea STORAGE EXTERNAL NOT NULL,
  -- The cluster of each occurrence: 8 bytes each, in the same order.
  clusters bytea STORAGE EXTERNAL NOT NULL,
  -- A bit for each occurrence, from the lowest bit of the first byte: whether the result before the re-check didn't have it. Null
  -- if the results were not compared.
  new_occurrences bytea,
  -- 8 bytes for each occurrence, in the same order, that identify its element even after an edit. 0 for an element that isn't in
  -- the document as sent.
  traces bytea STORAGE EXTERNAL NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX issues_common ON issues (common_issue_id, web_page_id, position, id) INCLUDE (muted, how_many);
CREATE INDEX issues_page ON issues (web_page_id, kind, position, id);

-- The clusters of a common issue when they were last listed: docs/decisions/0055-fix-plan-and-clusters.md.
CREATE TABLE cluster_lists (
  common_issue_id bigint NOT NULL REFERENCES common_issues ON DELETE CASCADE,
  -- Which issues count, as in `filter[muted]`.
  muted text NOT NULL CHECK (muted IN ('false', 'true', 'all')),
  -- `updated_at` of the common issue when the list was stored. The list is valid as long as they are equal.
  state timestamptz NOT NULL,
  -- The 1,000 largest clusters in order, as [{cluster, how_many, num_web_pages, issue, occurrence}].
  clusters jsonb NOT NULL,
  -- Occurrences in other clusters, or in none.
  unlisted bigint NOT NULL,
  PRIMARY KEY (common_issue_id, muted)
);

-- The issues with occurrences in a cluster, stored when these are first listed. `state` as in `cluster_lists`.
CREATE TABLE cluster_occurrences (
  common_issue_id bigint NOT NULL REFERENCES common_issues ON DELETE CASCADE,
  muted text NOT NULL CHECK (muted IN ('false', 'true', 'all')),
  cluster bytea NOT NULL,
  state timestamptz NOT NULL,
  -- In the order of the list.
  issues bigint[] NOT NULL,
  -- For each issue, the cumulative number of occurrences in the cluster, up to and including the issue.
  ends bigint[] NOT NULL,
  PRIMARY KEY (common_issue_id, muted, cluster)
);

-- When a site first and last had an issue type: docs/decisions/0067-comparison-storage.md.
CREATE TABLE first_sightings (
  site_id uuid NOT NULL REFERENCES sites ON DELETE CASCADE,
  fingerprint bytea NOT NULL,
  -- When the earliest report with the issue type was created.
  seen_at timestamptz NOT NULL,
  -- When the latest report with it was created. Rows from before the earliest kept report are removed.
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, fingerprint)
);
CREATE INDEX first_sightings_last ON first_sightings (site_id, last_seen_at);

-- The fix plan, computed when a report finishes: docs/decisions/0055-fix-plan-and-clusters.md.
CREATE TABLE fixes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- From 1, in the order of the plan.
  position integer NOT NULL,
  -- `common_issue_id` and `cluster`: the occurrences that one edit fixes.
  common_issue_id bigint NOT NULL,
  cluster bytea NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  markup text NOT NULL,
  selector text,
  -- One of the pages with these occurrences.
  sample_page_id bigint NOT NULL,
  -- Occurrences. An element that two checks report counts once here, and as two errors in `errors`.
  how_many bigint NOT NULL,
  num_web_pages integer NOT NULL,
  -- Pages that pass now.
  passing_before integer NOT NULL,
  -- Pages that pass once only this is fixed.
  passing_after integer NOT NULL,
  -- Pages that pass once this and everything before it in the plan is fixed.
  passing_after_plan integer NOT NULL,
  -- Issues of other checks that the same edit fixes, as [{kind, common_issue_id, cluster, message}].
  also jsonb NOT NULL DEFAULT '[]',
  -- Errors that the fix removes, of all checks.
  errors bigint NOT NULL,
  CONSTRAINT fixes_report_id_position_key UNIQUE (report_id, position)
);

-- ===== Diffs =====

-- Stored comparisons of two reports: docs/decisions/0054-report-comparison.md, docs/decisions/0067-comparison-storage.md.
CREATE TABLE diffs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- The report that it is compared with, called the earlier report.
  with_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- Whether `with_id` is the previous report of the site.
  is_previous boolean NOT NULL,
  -- `results_at` of both reports when they were compared. The diff is valid as long as they stay the same.
  report_state timestamptz NOT NULL,
  with_state timestamptz NOT NULL,
  -- `new` to `unverified`: occurrences by change, without muted ones.
  new bigint NOT NULL DEFAULT 0,
  persisting bigint NOT NULL DEFAULT 0,
  fixed bigint NOT NULL DEFAULT 0,
  regressed bigint NOT NULL DEFAULT 0,
  unverified bigint NOT NULL DEFAULT 0,
  -- New and regressed occurrences of critical errors.
  worse_critical bigint NOT NULL DEFAULT 0,
  -- New and regressed occurrences of all errors.
  worse_errors bigint NOT NULL DEFAULT 0,
  -- Pages by change, as in `changed_pages`.
  broken_pages integer NOT NULL DEFAULT 0,
  recovered_pages integer NOT NULL DEFAULT 0,
  -- Whether a reader of the report requested the diff. Such diffs don't displace the owner's.
  for_reader boolean NOT NULL DEFAULT false,
  -- Whether `changed_issues` has the diff's issues. False if there are too many, or if `with_id` isn't the previous report.
  lists_issues boolean NOT NULL DEFAULT false,
  -- Occurrences that an older report had, but not the earlier report because it didn't check the page.
  found_again bigint NOT NULL DEFAULT 0,
  CONSTRAINT diffs_report_id_with_id_key UNIQUE (report_id, with_id)
);
CREATE UNIQUE INDEX diffs_previous ON diffs (report_id) WHERE is_previous;
CREATE INDEX diffs_with ON diffs (with_id);

-- The change of each issue type in a diff.
CREATE TABLE issue_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  diff_id bigint NOT NULL REFERENCES diffs ON DELETE CASCADE,
  -- The position in lists.
  position integer NOT NULL,
  kind text NOT NULL,
  fingerprint bytea NOT NULL,
  change text NOT NULL,
  cause text NOT NULL,
  issue_type text NOT NULL,
  message text NOT NULL,
  rule_id text,
  impact text,
  -- Occurrences and pages, in the report and (`_before`) in the earlier report.
  how_many bigint NOT NULL,
  how_many_before bigint NOT NULL,
  num_web_pages integer NOT NULL,
  num_web_pages_before integer NOT NULL,
  -- An occurrence in the report, for links: the issue, which a new result of its page replaces, and the position in it from 0.
  -- Null if the report has none.
  sample_issue_id bigint,
  sample_occurrence integer,
  -- Numbers of occurrences by change, without zeros.
  occurrences jsonb NOT NULL,
  -- Numbers of changed occurrences by cause, without zeros.
  causes jsonb NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE UNIQUE INDEX issue_changes_list ON issue_changes (diff_id, position) INCLUDE (id, kind, change, occurrences);
CREATE INDEX issue_changes_type ON issue_changes (diff_id, kind, fingerprint);

-- For each common issue and change, the issues with such occurrences: docs/decisions/0067-comparison-storage.md.
CREATE TABLE changed_issues (
  diff_id bigint NOT NULL REFERENCES diffs ON DELETE CASCADE,
  common_issue_id bigint NOT NULL,
  change text NOT NULL,
  -- In the order of their pages.
  issues bigint[] STORAGE EXTERNAL NOT NULL,
  -- For each issue, the cumulative number of such occurrences, up to and including the issue.
  ends bigint[] STORAGE EXTERNAL NOT NULL,
  -- Such occurrences in all issues.
  how_many bigint NOT NULL,
  PRIMARY KEY (diff_id, common_issue_id, change)
);

-- Pages by change, as checks of some kinds show it. Stored with the diff for all kinds, and on the first request for others.
CREATE TABLE changed_pages (
  diff_id bigint NOT NULL REFERENCES diffs ON DELETE CASCADE,
  -- In alphabetical order.
  kinds text[] NOT NULL,
  change text NOT NULL,
  -- In the order of their URLs.
  pages bigint[] STORAGE EXTERNAL NOT NULL,
  num_pages integer NOT NULL,
  PRIMARY KEY (diff_id, kinds, change)
);

-- ===== Re-checks: docs/decisions/0009-rechecks.md =====

-- Issues of earlier results: issues that a re-check fixed, and all issues of a check that has failed since, for its next result.
CREATE TABLE former_issues (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  position integer NOT NULL,
  fingerprint bytea NOT NULL,
  issue_type text NOT NULL,
  -- At most 500 characters for a fixed issue.
  message text NOT NULL,
  rule_id text,
  impact text,
  -- Fixed occurrences. If the check has failed, all occurrences.
  how_many integer NOT NULL,
  -- False if the check has failed.
  is_fixed boolean NOT NULL,
  -- The fingerprints and traces of the occurrences, as in `issues`. Null for a fixed issue.
  occurrences bytea,
  traces bytea,
  CONSTRAINT former_issues_check CHECK (is_fixed OR (occurrences IS NOT NULL AND traces IS NOT NULL))
);
CREATE INDEX former_issues_page ON former_issues (web_page_id, kind, position);

-- Re-checks of several pages.
CREATE TABLE rechecks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  -- `kind` to `message`: the common issue whose pages are checked, which may no longer exist later. Null if the pages were named.
  kind text,
  common_issue_id bigint,
  fingerprint bytea,
  message text,
  num_web_pages integer NOT NULL,
  -- Credits that the re-check cost.
  credits integer NOT NULL,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- SHA-256 of the page ids, so that a repeated request starts no second re-check. Null for a common issue.
  pages_hash bytea
);
CREATE INDEX rechecks_report ON rechecks (report_id, inserted_at);

-- The checks that re-checks are waiting for. A check that ends is removed.
CREATE TABLE recheck_checks (
  recheck_id uuid NOT NULL REFERENCES rechecks ON DELETE CASCADE,
  web_page_id bigint NOT NULL REFERENCES web_pages ON DELETE CASCADE,
  kind text NOT NULL,
  PRIMARY KEY (recheck_id, web_page_id, kind)
);
CREATE INDEX recheck_checks_page ON recheck_checks (web_page_id);

-- The number of checks of a re-check that have ended, and the results of their occurrences.
CREATE TABLE recheck_counts (
  recheck_id uuid NOT NULL REFERENCES rechecks ON DELETE CASCADE,
  kind text NOT NULL,
  checked integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  -- Checked pages whose result was not compared.
  uncompared integer NOT NULL DEFAULT 0,
  -- `fixed`, `still` and `new`: occurrences by result.
  fixed bigint NOT NULL DEFAULT 0,
  still bigint NOT NULL DEFAULT 0,
  new bigint NOT NULL DEFAULT 0,
  -- Occurrences of the re-check's common issue, by result.
  issue_fixed bigint NOT NULL DEFAULT 0,
  issue_still bigint NOT NULL DEFAULT 0,
  issue_new bigint NOT NULL DEFAULT 0,
  -- When the last check ended.
  ended_at timestamptz,
  PRIMARY KEY (recheck_id, kind)
);

-- ===== Mutings: docs/decisions/0020-mutings.md =====

-- A muting mutes the issues with a message or rule on the pages with a URL.
CREATE TABLE mutings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Part of the URL; empty for all pages.
  url_match text NOT NULL,
  -- Part of the message, or the rule's id; empty for all issues.
  message text NOT NULL,
  comment text NOT NULL DEFAULT '',
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- When the owner deleted the muting. It disappears immediately; its issues are unmuted in the background.
  deleted_at timestamptz,
  -- Whether existing reports have yet to be updated for the muting, or for its end. The newest report is first: done are the
  -- reports with an id above `walked_report`, and the pages of `walked_report` with an id up to `walked_page` (all if null).
  walk_pending boolean NOT NULL DEFAULT true,
  walked_report uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  walked_page bigint,
  -- When the last step ended. The muting that has waited longest is next.
  walked_at timestamptz NOT NULL DEFAULT now(),
  -- Null: never.
  expires_at timestamptz,
  -- Whether the muting is being, or has been, withdrawn because it expired.
  expired boolean NOT NULL DEFAULT false,
  -- The report whose configuration file contains the muting. Null for a muting of the account.
  report_id uuid REFERENCES reports ON DELETE CASCADE,
  -- Whether `message` is the whole id of a rule.
  by_rule boolean NOT NULL DEFAULT false,
  -- Mutes only occurrences in elements that match this CSS selector, which is evaluated when the page is checked. Null for all.
  selector text
);
CREATE INDEX mutings_account ON mutings (account_id, id) WHERE deleted_at IS NULL AND report_id IS NULL;
CREATE INDEX mutings_expiry ON mutings (expires_at) WHERE expires_at IS NOT NULL AND NOT expired AND deleted_at IS NULL;
CREATE INDEX mutings_report ON mutings (report_id, id) WHERE report_id IS NOT NULL;
CREATE INDEX mutings_walk ON mutings (walked_at) WHERE walk_pending;

-- What a muting mutes in all reports. Not columns of `mutings`, whose rows are locked while a muting waits for a report's lock.
CREATE TABLE muting_totals (
  muting_id bigint PRIMARY KEY,
  -- Occurrences.
  how_many bigint NOT NULL,
  -- Reports in which it mutes an issue.
  num_reports integer NOT NULL DEFAULT 0
);

-- The number of occurrences that each muting mutes in a report, maintained by src/store/mutings/muting-counts.ts.
CREATE TABLE report_mutings (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  muting_id bigint NOT NULL REFERENCES mutings ON DELETE CASCADE,
  how_many bigint NOT NULL,
  PRIMARY KEY (report_id, muting_id)
);
CREATE INDEX report_mutings_muting ON report_mutings (muting_id);

-- Maintains `muting_totals`, at the end of the transaction.
CREATE FUNCTION add_up_muting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  changed bigint := coalesce(NEW.muting_id, OLD.muting_id);
  how_many_change bigint := coalesce(NEW.how_many, 0) - coalesce(OLD.how_many, 0);
  reports_change integer := (coalesce(NEW.how_many, 0) > 0)::integer - (coalesce(OLD.how_many, 0) > 0)::integer;
BEGIN
  IF how_many_change = 0 THEN
    RETURN NULL;
  END IF;
  -- Readers are not locked out.
  LOCK TABLE muting_totals IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO muting_totals AS t (muting_id, how_many, num_reports) VALUES (changed, how_many_change, reports_change)
  ON CONFLICT (muting_id) DO UPDATE SET how_many = t.how_many + excluded.how_many,
    num_reports = t.num_reports + excluded.num_reports;
  DELETE FROM muting_totals WHERE muting_id = changed AND how_many = 0 AND num_reports = 0;
  RETURN NULL;
END $function$;
CREATE CONSTRAINT TRIGGER report_mutings_total AFTER INSERT OR DELETE OR UPDATE ON report_mutings
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION add_up_muting();

-- ===== Notifications: docs/decisions/0102-notifications.md =====

-- Where an account is notified of what happens to its reports and schedules.
CREATE TABLE notification_channels (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind text NOT NULL,
  name text NOT NULL,
  -- The host of the URL, or the email address.
  target text NOT NULL,
  -- The URL, encrypted because it may contain a secret. Null for email.
  url_sealed bytea,
  -- The encrypted secret that signs webhooks; null for other channels.
  secret_sealed bytea,
  -- The previous secret, which also signs for a day after `secret_replaced_at`.
  former_secret_sealed bytea,
  secret_replaced_at timestamptz,
  events text[] NOT NULL,
  -- What makes a report worse than the previous one, for the event `schedule.got_worse`.
  worse_when text[] NOT NULL,
  -- Only these schedules; empty for all reports. No foreign key: a schedule can be deleted without its channels.
  schedule_ids uuid[] NOT NULL,
  active boolean NOT NULL,
  -- Null for an email address that hasn't been confirmed.
  confirmed_at timestamptz,
  -- The first failed attempt since the last successful delivery. Null if there is none.
  failing_since timestamptz,
  -- Why the last attempt failed. Null if it did not.
  last_error jsonb,
  last_delivered_at timestamptz,
  -- When the service paused the channel because its deliveries kept failing. Null otherwise.
  paused_at timestamptz,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- `none`, or `daily`: all events in one message per day.
  digest text NOT NULL DEFAULT 'none',
  -- The hour of the day when the digest is sent, in `time_zone`.
  digest_hour integer NOT NULL DEFAULT 7,
  time_zone text NOT NULL DEFAULT 'UTC',
  -- Null without a digest.
  next_digest_at timestamptz
);
CREATE INDEX notification_channels_account ON notification_channels (account_id, id DESC);
CREATE INDEX notification_channels_digest ON notification_channels (next_digest_at) WHERE next_digest_at IS NOT NULL;

-- Messages to channels. The row is also the job that delivers the message.
CREATE TABLE notification_deliveries (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  channel_id uuid NOT NULL REFERENCES notification_channels ON DELETE CASCADE,
  -- An event, `digest`, `test` or `confirmation`.
  event text NOT NULL,
  -- Identifies what happened: a channel is notified of it once.
  key text NOT NULL,
  -- No foreign keys: deleting a report doesn't wait for its deliveries.
  report_id uuid,
  schedule_id uuid,
  details jsonb NOT NULL,
  -- The message, composed for the first attempt; null before that. Not jsonb, which would reorder its members.
  message json,
  status text NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  -- Null if no attempt will follow. While an attempt runs: when it counts as lost.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  -- Of the last attempt; null without a response.
  http_status integer,
  -- Why the last attempt failed. Null if it did not.
  error jsonb,
  inserted_at timestamptz NOT NULL DEFAULT now(),
  -- The digest that includes this delivery. Null if it is sent separately, or waits for the digest.
  digest_id uuid,
  CONSTRAINT notification_deliveries_channel_id_key_key UNIQUE (channel_id, key)
);
CREATE INDEX notification_deliveries_channel ON notification_deliveries (channel_id, id DESC);
CREATE INDEX notification_deliveries_digest ON notification_deliveries (digest_id) WHERE digest_id IS NOT NULL;
CREATE INDEX notification_deliveries_due ON notification_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX notification_deliveries_held ON notification_deliveries (channel_id, id) WHERE status = 'held';
CREATE INDEX notification_deliveries_old ON notification_deliveries (inserted_at);
CREATE INDEX notification_deliveries_report ON notification_deliveries (report_id) WHERE next_attempt_at IS NOT NULL;

-- The number of confirmation emails sent for an account on `day`, limited so that no one can flood other people's inboxes.
CREATE TABLE confirmation_mails (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  day date NOT NULL,
  sent integer NOT NULL
);

-- ===== Processes and installation =====

-- Ids of worker processes. A worker holds an advisory lock on its id as long as it runs.
CREATE SEQUENCE worker_ids AS integer CYCLE;

-- Ids of workers' claims of checks and crawls.
CREATE SEQUENCE claim_ids;

-- Hosts, and the worker that crawls each: only one process enforces the rate limit of a host. See
-- docs/decisions/0024-rate-limits.md.
CREATE TABLE host_claims (
  host text PRIMARY KEY,
  -- From `worker_ids`.
  claimed_by integer NOT NULL,
  -- Once the worker has ended: when its last requests no longer count. Null while it runs.
  free_at timestamptz
);

-- The id of the key that encrypts stored secrets. The first process records it; later processes compare their key with it
-- (src/store/backup/stored-secrets.ts).
CREATE TABLE secret_key (
  -- Allows only one row.
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- The first bytes of everything that the key encrypts.
  key_id bytea NOT NULL
);
