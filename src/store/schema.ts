import type { ColumnType, Generated, GeneratedAlways, Insertable, JSONColumnType, Selectable } from 'kysely';
import type { Periodicity } from '../../packages/client/periodicity.ts';
import type { Standard } from '../../packages/client/standards.ts';
import type { CheckKind, CheckState, CheckStatus } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { ConsentOutcome } from '../domain/consent.ts';
import type { UrlOutcome } from '../domain/crawl.ts';
import type { FailOn } from '../domain/fail-on.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { HookSignature } from '../domain/hook-signatures.ts';
import type { ShownJourney } from '../domain/journey.ts';
import type { LoadedResource } from '../domain/loaded-resource.ts';
import type { ReportColumns, ReportDefinition } from '../domain/report-definition.ts';
import type { RetentionRule } from '../domain/retention.ts';
import type { SignInTables } from './accounts/sign-in-tables.ts';
import type { DecisionTable, ReplacedIssueTable } from './decisions/decision-tables.ts';
import type { InstallationTables } from './installation-table.ts';
import type {
  CommonIssueTable,
  DiffTable,
  FixTable,
  InsightTables,
  IssueChangeTable,
  IssueCounts,
  IssueTable,
  RawCheckTable,
  ScreenshotImageTable,
  ScreenshotTable,
  SiteThumbnailTable,
} from './issues/finding-tables.ts';
import type { EndedMutingTable, MutingTable, MutingTotalTable, ReportMutingTable } from './mutings/muting-tables.ts';
import type { NotificationTables } from './notifications/notification-tables.ts';
import type { RecheckedTable, RecheckTables } from './rechecks/recheck-tables.ts';
import type { LoginTables } from './reports/login-tables.ts';
import type { ShareLinkTables } from './reports/share-link-table.ts';

/** The tables that `migrations/` create, for Kysely. PostgreSQL's `bigint` is a `number` here. */
export interface Schema
  extends SignInTables,
    RecheckTables,
    InsightTables,
    NotificationTables,
    ShareLinkTables,
    LoginTables,
    InstallationTables {
  accounts: AccountTable;
  api_tokens: ApiTokenTable;
  idempotency_keys: IdempotencyKeyTable;
  idempotent_parts: IdempotentPartTable;
  guest_accounts: GuestAccountTable;
  credit_entries: CreditEntryTable;
  api_usage: ApiUsageTable;
  sites: SiteTable;
  reports: ReportTable;
  report_checks: ReportCheckTable;
  report_checks_at_end: ReportCheckAtEndTable;
  documents: DocumentTable;
  web_pages: WebPageTable;
  checks: CheckTable;
  raw_checks: RawCheckTable;
  resource_lists: ResourceListTable;
  screenshots: ScreenshotTable;
  screenshot_images: ScreenshotImageTable;
  site_thumbnails: SiteThumbnailTable;
  common_issues: CommonIssueTable;
  issues: IssueTable;
  discovered_urls: DiscoveredUrlTable;
  discovered_url_counts: DiscoveredUrlCountTable;
  excluded_urls: ExcludedUrlTable;
  schedules: ScheduleTable;
  hook_messages: HookMessageTable;
  mutings: MutingTable;
  decisions: DecisionTable;
  replaced_issues: ReplacedIssueTable;
  report_mutings: ReportMutingTable;
  muting_totals: MutingTotalTable;
  ended_mutings: EndedMutingTable;
  report_absences: ReportAbsenceTable;
}

/** What a part of a request returns, to be stored. Not encrypted, so it must not contain secrets. */
export type PartResult = string | readonly string[];

export type Plan = 'free' | 'pro' | 'enterprise';
export type TokenScope = 'read' | 'write';
/**
 * Why credits changed: they were spent, refunded, `granted` by the operator in addition, or `set` to a number by the operator.
 */
export const CREDIT_REASONS = [
  'checks',
  'raw_checks',
  'rendered_pages',
  'api_requests',
  'refund',
  'granted',
  'set',
] as const;
export type CreditReason = (typeof CREDIT_REASONS)[number];
export const REPORT_STATUSES = ['pending', 'crawling', 'checking', 'finished', 'failed'] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];
/** Derived from the statuses of the page's checks by a trigger. */
export type WebPageStatus = 'pending' | 'checking' | 'checked' | 'failed';
/** Null if nothing failed. Always written by way of `storableFailure`. */
type StoredFailure = JSONColumnType<Failure | null, string | null | undefined, string | null>;
export type ExclusionReason = 'deleted' | 'exclusion';

interface AccountTable {
  id: Generated<string>;
  email: string;
  name: Generated<string>;
  plan: Generated<Plan>;
  credits: number | null;
  standard: Standard | null;
  best_practices: Generated<boolean>;
  /** Whether the two columns above were chosen. Until then, the installation's settings apply. */
  standard_chosen: Generated<boolean>;
  /** Whether it may see and manage the whole installation. */
  operator: Generated<boolean>;
  /** When it was disabled; null while it is in use. */
  disabled_at: Date | null;
  /** When its deletion began: it is removed in the background. */
  deleting_since: Date | null;
  /** When the reservation to try a login or a journey expires; null if there is none. */
  trying_until: Date | null;
  /** Which reports are kept; empty: all. */
  retention: JSONColumnType<readonly RetentionRule[], string | undefined, string>;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface ApiTokenTable {
  id: Generated<number>;
  account_id: string;
  name: Generated<string>;
  scope: TokenScope;
  hash: Buffer;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  from_setting: Generated<boolean>;
  inserted_at: Generated<Date>;
}

interface GuestAccountTable {
  id: string;
  host_id: string;
  guest_id: string | null;
  invitation_hash: Buffer;
  /** Sealed by `platform/kept-secret.ts`. */
  invitation_sealed: Buffer | null;
  max_usage: number;
  usage: Generated<number>;
  usage_month: Generated<Date>;
  accepted_at: Date | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
  deleted_at: Date | null;
}

interface IdempotencyKeyTable {
  account_id: string;
  key_hash: Buffer;
  request_hash: Buffer;
  response: Buffer | null;
  inserted_at: Generated<Date>;
}

interface IdempotentPartTable {
  account_id: string;
  key_hash: Buffer;
  part: string;
  request_hash: Buffer;
  result: ColumnType<PartResult, string, string>;
  inserted_at: Generated<Date>;
}

interface CreditEntryTable {
  id: Generated<number>;
  account_id: string;
  amount: number;
  reason: CreditReason;
  balance: number | null;
  report_id: string | null;
  inserted_at: Generated<Date>;
}

interface ApiUsageTable {
  account_id: string;
  requests: number;
}

export interface SiteTable {
  id: Generated<string>;
  account_id: string;
  name: Generated<string>;
  notes: Generated<string>;
  /** The attributes of its next report, without those that are newer than the site. */
  definition: JSONColumnType<Partial<ReportDefinition>, string, string>;
  starting_url: GeneratedAlways<string>;
  /** The starting URL without its scheme. */
  address: GeneratedAlways<string>;
  /** Sealed by `reports/credential-store.ts`. */
  site_access: Buffer | null;
  /** Whether its owner created or edited it. */
  is_kept: Generated<boolean>;
  /** The file of `sync` that created it; null for others. */
  synced_from: string | null;
  /** A report that is older than the newest one, and worse than `attention_since_id`: see `reports/site-attention.ts`. */
  attention_report_id: Generated<string | null>;
  attention_since_id: Generated<string | null>;
  /** The newest report that had ended when the owner acknowledged what it found. */
  acknowledged_report_id: Generated<string | null>;
  acknowledged_at: Date | null;
  archived_at: Date | null;
  deleted_at: Date | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** With a column for each attribute of reports except their checks. */
interface ReportTable extends Omit<ReportColumns, 'journeys'> {
  id: Generated<string>;
  journeys: JSONColumnType<readonly ShownJourney[], string, string>;
  /** How many of its journeys have been performed, in order. */
  journeys_run: Generated<number>;
  /** The journey that may have changed something on the site and whose marks are not saved yet; null if there is none. */
  acting_journey: string | null;
  account_id: string;
  guest_account_id: string | null;
  /** Who paid when the report was created: the account that its work is charged to. See `payerOfReport` for who pays now. */
  payer_id: ColumnType<string, string, never>;
  schedule_id: string | null;
  /** How it signs in to the site; null if it does not. */
  signed_in: 'login' | 'credentials' | null;
  /** The name of the account that its login uses; null if there is none, or if it is not known. */
  signed_in_as: string | null;
  /** Its standard when it was created: the rules that this standard needs have run. */
  tested_standard: string | null;
  /** From its schedule, when it was created. */
  fail_on: FailOn[] | null;
  /** Issues and unchecked pages that `fail_on` counts; null until the insights are computed, or if it has no `fail_on`. */
  num_failing: number | null;
  site_id: string;
  by_deploy_hook: Generated<boolean>;
  /** Whether it is deleted once `check` has shown it. No channel is notified of it. */
  temporary: Generated<boolean>;
  domain: string;
  status: Generated<ReportStatus>;
  crawl_error: StoredFailure;
  num_pages: Generated<number>;
  checked_pages: Generated<number>;
  passed_pages: Generated<number>;
  urls_not_kept: Generated<number>;
  site_url: string | null;
  crawl_pending: Generated<boolean>;
  crawl_hosts: Generated<string[]>;
  crawled_by: number | null;
  crawl_claim_id: number | null;
  crawl_failures: Generated<number>;
  crawl_failed: boolean | null;
  insights_pending: Generated<boolean>;
  insights_claimed_until: Date | null;
  /** Sealed by `reports/credential-store.ts`. */
  site_access: Buffer | null;
  /** The hash of the secret of its share link; null while it is not shared. */
  share_hash: Buffer | null;
  /** The secret, sealed by `platform/kept-secret.ts`. */
  share_sealed: Buffer | null;
  last_checked_at: Date | null;
  finished_at: Date | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
  /** When its results last changed. */
  results_at: Generated<Date>;
  /** When it finished for the first time: its end. */
  first_finished_at: Date | null;
  /** Whether a re-check or a muting has changed its results since its end. */
  changed_since_end: Generated<boolean>;
  /** When its results at its end last changed. */
  end_results_at: Generated<Date>;
  checked_pages_at_end: number | null;
  passed_pages_at_end: number | null;
  deleted_at: Date | null;
  /** An `xid8`. */
  changed_xid: Generated<string>;
}

interface ReportAbsenceTable {
  id: Generated<number>;
  account_id: string;
  report_id: string | null;
  changed_xid: Generated<string>;
  inserted_at: Generated<Date>;
}

interface ReportCheckTable extends IssueCounts {
  report_id: string;
  kind: CheckKind;
  position: Generated<number>;
  store_raw: Generated<boolean>;
  pending: Generated<number>;
  checked: Generated<number>;
  failed: Generated<number>;
  /** Checked pages with errors. */
  with_errors: Generated<number>;
  /** Checked pages with critical or serious errors. */
  with_severe: Generated<number>;
  /** The engine version of the first check that ran; null before that, or if results don't depend on it. */
  engine_version: string | null;
  /** Causes of errors that the fix plan leaves out. */
  causes_left_out: Generated<number>;
}

/** Queries read the other tables of results at a report's end through views: `reports/results-at-end.ts`. */
interface ReportCheckAtEndTable extends IssueCounts {
  report_id: string;
  kind: CheckKind;
  checked: number;
  failed: number;
  with_errors: number;
  with_severe: number;
}

interface DocumentTable {
  hash: Buffer;
  body: Buffer;
  size: number;
  inserted_at: Generated<Date>;
}

interface WebPageTable {
  id: Generated<number>;
  report_id: string;
  url: string;
  /** For a mark of a journey, the URL of the page at that moment. */
  reached_url: string | null;
  folded_url: GeneratedAlways<string>;
  folded_title: GeneratedAlways<string | null>;
  status: Generated<WebPageStatus>;
  linked_from: string | null;
  http_status: number | null;
  content_type: string | null;
  title: string | null;
  render_error: StoredFailure;
  /** Whether credentials were sent for it and not refused. Has no effect if the report has no credentials. */
  is_signed_in: Generated<boolean>;
  document_hash: Buffer | null;
  fetched_at: Date | null;
  headers: JSONColumnType<[string, string][]>;
  refetch_pending: Generated<boolean>;
  last_checked_at: Date | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface CheckTable extends IssueCounts, RecheckedTable {
  web_page_id: number;
  kind: CheckKind;
  report_id: string;
  status: Generated<CheckStatus>;
  state: GeneratedAlways<CheckState>;
  runnable: Generated<boolean>;
  turn: number;
  claimed_by: number | null;
  claim_id: number | null;
  attempts: Generated<number>;
  begun_claims: Generated<number[]>;
  error: StoredFailure;
  notes: JSONColumnType<CheckNote[], string | undefined, string>;
  opened_states: number | null;
  consent: ConsentOutcome | null;
  engine_version: string | null;
  resources: Buffer | null;
  may_reuse: Generated<boolean>;
  reuse_key: Buffer | null;
  varies: Generated<boolean>;
  resource_list: Buffer | null;
  is_scripted: Generated<boolean>;
  is_confirmed: Generated<boolean>;
  found_at: Date | null;
  reused_from: string | null;
  /** The output of its engine at a mark of a journey, compressed with zstd, until it is interpreted. */
  collected: Buffer | null;
  paid_by: string | null;
  usage_month: Date | null;
  /** Copied from its report, so that an index can list the free checks of an account in order. */
  payer_id: ColumnType<string, string, never>;
}

interface ResourceListTable {
  report_id: string;
  hash: Buffer;
  resources: JSONColumnType<LoadedResource[]>;
}

interface DiscoveredUrlTable {
  report_id: string;
  position: number;
  url: string;
  folded_url: GeneratedAlways<string>;
  linked_from: string | null;
  depth: number;
  outcome: Generated<UrlOutcome>;
  target: string | null;
  http_status: number | null;
  detail: StoredFailure;
}

interface DiscoveredUrlCountTable {
  report_id: string;
  outcome: UrlOutcome;
  how_many: number;
}

interface ExcludedUrlTable {
  id: Generated<number>;
  report_id: string;
  url: string;
  reason: ExclusionReason;
  inserted_at: Generated<Date>;
}

export interface ScheduleTable {
  id: Generated<string>;
  account_id: string;
  site_id: string;
  /** Without attributes that are newer than the schedule. */
  definition: JSONColumnType<Partial<ReportDefinition>, string, string>;
  periodicity: JSONColumnType<Periodicity | null, string | null, string | null>;
  active: boolean;
  fail_on: Generated<FailOn[]>;
  /** `07:30` in `time_zone`; null for the time of the installation. */
  time_of_day: string | null;
  time_zone: Generated<string>;
  /** Whether it starts at its own minute within the hour after its time. */
  spread: Generated<boolean>;
  /** Only `schedules/next-run-time.ts` converts it to the actual time. */
  next_run_at: Date | null;
  last_run_at: Date | null;
  last_run_error: StoredFailure;
  hook_hash: Buffer;
  /** Sealed by `platform/kept-secret.ts`. */
  hook_sealed: Buffer | null;
  /** How calls must be signed; null if the URL is enough. */
  hook_signature: HookSignature | null;
  /** The secret for signatures, encrypted for this row. */
  hook_signing_sealed: Buffer | null;
  hook_called_at: Date | null;
  hook_report_id: string | null;
  /** Sealed by `reports/credential-store.ts`. */
  site_access: Buffer | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface HookMessageTable {
  schedule_id: string;
  id_hash: Buffer;
  report_id: string;
  received_at: Generated<Date>;
}

export type Account = Selectable<AccountTable>;
export type Diff = Selectable<DiffTable>;
export type IssueChange = Selectable<IssueChangeTable>;
export type Fix = Selectable<FixTable>;
export type ApiToken = Selectable<ApiTokenTable>;
export type CreditEntry = Selectable<CreditEntryTable>;
export type GuestAccount = Selectable<GuestAccountTable>;
export type Report = Selectable<ReportTable>;
export type NewReport = Insertable<ReportTable>;
export type ReportCheck = Selectable<ReportCheckTable>;
export type WebPage = Selectable<WebPageTable>;
export type Check = Selectable<CheckTable>;
export type CommonIssue = Selectable<CommonIssueTable>;
export type Issue = Selectable<IssueTable>;
export type DiscoveredUrlRow = Selectable<DiscoveredUrlTable>;
export type ExcludedUrl = Selectable<ExcludedUrlTable>;
