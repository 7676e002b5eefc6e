import type { Change } from '../../packages/client/changes.ts';
import { hasPro } from '../../packages/client/report-defaults.ts';
import type { Standard } from '../../packages/client/standards.ts';
import { CHECK_KINDS, engineOf } from '../checks/registry.ts';
import type { TypeChange } from '../domain/change.ts';
import type { Certainty, CheckKind, Impact } from '../domain/check.ts';
import { foundIn, severeFreePages } from '../domain/counts.ts';
import type { FailOn } from '../domain/fail-on.ts';
import { codeOf, fullSentenceOf } from '../domain/failures/failure.ts';
import type { DeliveredEvent, WorseReason } from '../domain/notifications.ts';
import { shortened } from '../platform/shorten.ts';
import { findPlan } from '../store/accounts/guest-accounts.ts';
import type { Executor } from '../store/database.ts';
import { type ChangeCounts, changesSincePrevious } from '../store/diffs/change-totals.ts';
import { type ListedChange, listIssueChanges, NO_CHANGES } from '../store/diffs/issue-changes.ts';
import { countCausesLeftOut, listFixes } from '../store/issues/fixes.ts';
import type { ClaimedDelivery } from '../store/notifications/notification-deliveries.ts';
import { countDeliveriesIn, deliveriesIn } from '../store/notifications/notification-digests.ts';
import type { DeliveryDetails } from '../store/notifications/notification-tables.ts';
import { findReport, type ReportCheckCounts, type ReportWithChecks } from '../store/reports/reports.ts';
import { findSchedule } from '../store/schedules/schedules.ts';

/** Maximum numbers of issue types per change, and of fixes, that a message lists. The rest is in the report. */
const ISSUES_MAX = 5;
const FIXES_MAX = 3;
/** Limits the message of an issue, which may quote the page. */
const TEXT_MAX_CHARACTERS = 300;

/** A notification as webhooks receive it. For the other kinds of channel, it is turned into sentences. */
export interface Message {
  readonly type: DeliveredEvent;
  /** When the event happened: ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly data: MessageData;
}

export interface MessageData {
  readonly report?: ToldReport;
  readonly schedule?: { readonly id: string; readonly starting_url: string; readonly url: string };
  readonly reasons?: readonly WorseReason[];
  readonly payer?: 'account' | 'guest';
  readonly guest?: NonNullable<DeliveryDetails['guest']>;
  /** The events of a digest, in the order in which they happened. */
  readonly events?: readonly Message[];
  /** How many more events the digest doesn't include. */
  readonly omitted?: number;
  /** The channel that was paused, or that is tested. */
  readonly channel?: NonNullable<DeliveryDetails['channel']>;
  /** The result of scheduled backups. */
  readonly backup?: NonNullable<DeliveryDetails['backup']>;
}

export interface ToldReport {
  readonly id: string;
  /** In the dashboard. */
  readonly url: string;
  readonly starting_url: string;
  readonly schedule_id: string | null;
  readonly status: string;
  readonly finished_at: string | null;
  readonly num_pages: number;
  readonly pages_checked: number;
  readonly pages_passed: number;
  readonly errors: number;
  /** The standard that the report is measured against. */
  readonly standard: Standard | null;
  readonly best_practices: boolean;
  /** By enabled kind of check. */
  readonly checks: readonly ToldCheck[];
  /** Without issues that need review. */
  readonly warnings: number;
  readonly needs_review: number;
  /** Whether a run of a schedule passed according to its `fail_on`; null without a verdict. */
  readonly verdict: { readonly passed: boolean; readonly how_many: number; readonly fail_on: readonly FailOn[] } | null;
  readonly crawl_error: string | null;
  readonly crawl_error_code: string | null;
  /** Since the previous report of the site; null without one. */
  readonly change: ChangeCounts | null;
  readonly previous_report_id: string | null;
  /** The issue types with occurrences that are new or back, the worst first; and the issue types with fixed occurrences. */
  readonly new_issues: readonly ToldIssue[];
  readonly fixed_issues: readonly ToldIssue[];
  /** What to fix first. */
  readonly fixes: readonly ToldFix[];
  /** The numbers of issue types and causes of errors that the lists leave out. */
  readonly left_out: Readonly<Record<'new_issues' | 'fixed_issues' | 'fixes', number>>;
}

export interface ToldCheck {
  readonly kind: CheckKind;
  readonly pages_checked: number;
  readonly pages_with_errors: number;
  /** Pages without critical or serious errors; null for checks that don't grade their issues. */
  readonly pages_severe_free: number | null;
}

export interface ToldIssue {
  readonly kind: CheckKind;
  readonly issue_type: Certainty;
  readonly message: string;
  readonly impact: Impact | null;
  readonly change: TypeChange;
  /** In the report and in the previous report. */
  readonly how_many: number;
  readonly how_many_before: number;
  readonly num_web_pages: number;
  readonly num_web_pages_before: number;
  /** Occurrences by change. */
  readonly occurrences: Readonly<Record<Change, number>>;
  /** Who it affects and how; null if unknown. */
  readonly effect_on_visitors: string | null;
}

export interface ToldFix {
  readonly kind: CheckKind;
  readonly message: string;
  readonly how_many: number;
  readonly num_web_pages: number;
  /** Number of errors that the fix removes. */
  readonly errors: number;
  readonly passing_before_plan: number;
  readonly passing_after_plan: number;
  /** Issues of other checks on the same elements. */
  readonly also: readonly { readonly kind: CheckKind; readonly message: string }[];
}

/** Events in a digest: enough for sixty schedules that run at night. */
const DIGEST_EVENTS_MAX = 200;

async function composeDigest(
  db: Executor,
  { id, channel }: ClaimedDelivery,
  baseUrl: string,
): Promise<Pick<MessageData, 'events' | 'omitted'> | null> {
  const held = await deliveriesIn(db, id, DIGEST_EVENTS_MAX);
  const events: Message[] = [];
  for (const delivery of held) {
    const message = await composeMessage(db, { ...delivery, channel }, baseUrl);
    if (message !== null) events.push(message);
  }
  const omitted = (await countDeliveriesIn(db, id)) - held.length;
  return events.length === 0 && omitted === 0 ? null : { events, omitted };
}

/**
 * Composes the content of a delivery, for the current plan of the account.
 * @param db a snapshot: if the diff were replaced in the meantime, counts would lack their issues
 * @param baseUrl the public address of the dashboard, without a trailing slash
 * @returns null if the report that the delivery is about, or every report that a digest is about, no longer exists
 */
export async function composeMessage(
  db: Executor,
  delivery: ClaimedDelivery,
  baseUrl: string,
): Promise<Message | null> {
  const { event, report_id: reportId, schedule_id: scheduleId, details, inserted_at: happenedAt, channel } = delivery;
  const digest = event === 'digest' ? await composeDigest(db, delivery, baseUrl) : {};
  if (digest === null) return null;
  const report = reportId === null ? undefined : await findReport(db, reportId);
  if (reportId !== null && report === undefined) return null;
  const schedule = scheduleId === null ? undefined : await findSchedule(db, scheduleId);
  const { id, name, target } = channel;
  return {
    type: event,
    timestamp: happenedAt.toISOString(),
    data: {
      ...(report !== undefined && { report: await tellReport(db, report, baseUrl) }),
      ...(schedule !== undefined && {
        schedule: {
          id: schedule.id,
          starting_url: schedule.definition.starting_url,
          url: `${baseUrl}/schedules/${schedule.id}`,
        },
      }),
      ...(event === 'test' && { channel: { id, name, target } }),
      ...details,
      ...digest,
    },
  };
}

async function tellReport(db: Executor, report: ReportWithChecks, baseUrl: string): Promise<ToldReport> {
  const plan = await findPlan(db, report.account_id);
  const kinds = CHECK_KINDS.filter((kind) => hasPro({ plan }) || !engineOf(kind).isPro);
  const found = kinds.flatMap((kind) => {
    const sums = report.checks[kind];
    return sums === undefined ? [] : foundIn(sums, engineOf(kind).isGraded);
  });
  const compared = await changesSincePrevious(db, report.id, kinds);
  const issues = await tellIssues(db, report.id, kinds, compared);
  const fixes = await tellFixes(db, report.id, kinds);
  return {
    id: report.id,
    url: `${baseUrl}/reports/${report.id}`,
    starting_url: report.starting_url,
    schedule_id: report.schedule_id,
    status: report.status,
    finished_at: report.finished_at?.toISOString() ?? null,
    num_pages: report.num_pages,
    pages_checked: report.checked_pages,
    pages_passed: report.passed_pages,
    errors: sum(found.map(({ errors }) => errors)),
    standard: report.standard,
    best_practices: report.best_practices,
    checks: kinds.flatMap((kind) => toldCheck(kind, report.checks[kind])),
    warnings: sum(found.filter((each) => each.errors_by_impact === undefined).map(({ warnings }) => warnings)),
    needs_review: sum(found.filter((each) => each.errors_by_impact !== undefined).map(({ warnings }) => warnings)),
    verdict: kinds.length === CHECK_KINDS.length ? verdictOf(report) : null,
    crawl_error: fullSentenceOf(report.crawl_error),
    crawl_error_code: codeOf(report.crawl_error),
    change: compared?.change ?? null,
    previous_report_id: compared?.withId ?? null,
    new_issues: issues.added.list,
    fixed_issues: issues.fixed.list,
    fixes: fixes.list,
    left_out: {
      new_issues: issues.added.leftOut,
      fixed_issues: issues.fixed.leftOut,
      fixes: fixes.leftOut,
    },
  };
}

function toldCheck(kind: CheckKind, counts: ReportCheckCounts | undefined): ToldCheck[] {
  if (counts === undefined) return [];
  const { checked, with_errors } = counts;
  const free = engineOf(kind).isGraded ? severeFreePages(counts) : null;
  return [{ kind, pages_checked: checked, pages_with_errors: with_errors, pages_severe_free: free }];
}

function verdictOf({ fail_on: failOn, num_failing: howMany }: ReportWithChecks): ToldReport['verdict'] {
  return failOn === null || howMany === null ? null : { passed: howMany === 0, how_many: howMany, fail_on: failOn };
}

/** The beginning of a list, and the number of items that it leaves out. */
interface Beginning<Told> {
  readonly list: readonly Told[];
  readonly leftOut: number;
}

async function tellFixes(db: Executor, reportId: string, kinds: readonly CheckKind[]): Promise<Beginning<ToldFix>> {
  const { rows, total } = await listFixes(db, reportId, kinds, { number: 1, size: FIXES_MAX });
  const list = rows.map((fix) => ({
    kind: fix.kind,
    message: shortened(fix.message, TEXT_MAX_CHARACTERS),
    how_many: fix.how_many,
    num_web_pages: fix.num_web_pages,
    errors: fix.errors,
    passing_before_plan: fix.passing_before_plan,
    passing_after_plan: fix.passing_after_plan,
    also: fix.also.map(({ kind, message }) => ({ kind, message: shortened(message, TEXT_MAX_CHARACTERS) })),
  }));
  return { list, leftOut: total - list.length + (await countCausesLeftOut(db, reportId, kinds)) };
}

async function tellIssues(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
  compared: { readonly id: number; readonly withId: string } | undefined,
): Promise<Readonly<Record<'added' | 'fixed', Beginning<ToldIssue>>>> {
  if (compared === undefined) return { added: NOTHING, fixed: NOTHING };
  const diff = { ...compared, reportId };
  const begin = async (...changes: readonly ('new' | 'regressed' | 'fixed')[]): Promise<Beginning<ToldIssue>> => {
    const page = { number: 1, size: ISSUES_MAX };
    const { rows, total } = await listIssueChanges(db, diff, { kinds, changes, worstFirst: true }, page);
    return { list: rows.map(describeChange), leftOut: total - rows.length };
  };
  return { added: await begin('new', 'regressed'), fixed: await begin('fixed') };
}

const NOTHING: Beginning<never> = { list: [], leftOut: 0 };

function describeChange(change: ListedChange): ToldIssue {
  const { kind, issue_type, impact, how_many, how_many_before, num_web_pages, num_web_pages_before } = change;
  const { common_issue: common } = change;
  return {
    ...{ kind, issue_type, impact, message: shortened(change.message, TEXT_MAX_CHARACTERS), change: change.change },
    ...{ how_many, how_many_before, num_web_pages, num_web_pages_before },
    occurrences: { ...NO_CHANGES, ...change.occurrences },
    effect_on_visitors:
      common === null ? null : engineOf(kind).issues.effectOf({ ...change, tags: [...common.tags] }).words,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
