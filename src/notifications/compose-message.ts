import { hasPro } from '../accounts/plans.ts';
import { CHECK_KINDS, engineOf } from '../checks/registry.ts';
import type { TypeChange } from '../domain/change.ts';
import type { CheckKind, Impact, IssueType } from '../domain/check.ts';
import { foundIn } from '../domain/counts.ts';
import type { FailOn } from '../domain/fail-on.ts';
import { codeOf, fullSentenceOf } from '../domain/failures/failure.ts';
import type { DeliveredEvent, WorseReason } from '../domain/notifications.ts';
import { shortened } from '../platform/shorten.ts';
import { type ChangeCounts, changesSincePrevious, type ListedChange, listIssueChanges } from '../store/comparisons.ts';
import type { Executor } from '../store/database.ts';
import { listFixes } from '../store/fixes.ts';
import { findPlan } from '../store/guest-accounts.ts';
import type { ClaimedDelivery } from '../store/notification-deliveries.ts';
import { countDeliveriesIn, deliveriesIn } from '../store/notification-digests.ts';
import type { DeliveryDetails } from '../store/notification-tables.ts';
import { findReport, type ReportCheckCounts, type ReportWithChecks } from '../store/reports.ts';
import { findSchedule } from '../store/schedules.ts';

/** Kinds of issue that a message lists of each change, and things to fix. The rest is in the report. */
const ISSUES_MAX = 5;
const FIXES_MAX = 3;
/** Of a message of an issue, which may quote the page. */
const TEXT_MAX_CHARACTERS = 300;

/** What a channel is told, as webhooks receive it; the other kinds of channel make sentences of it. */
export interface Message {
  readonly type: DeliveredEvent;
  /** When it happened: ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly data: MessageData;
}

export interface MessageData {
  readonly report?: ToldReport;
  readonly schedule?: { readonly id: string; readonly starting_url: string; readonly url: string };
  readonly reasons?: readonly WorseReason[];
  readonly payer?: 'account' | 'guest';
  readonly guest?: NonNullable<DeliveryDetails['guest']>;
  /** What a digest tells, in the order in which it happened. */
  readonly events?: readonly Message[];
  /** How many further events a digest has no room for. */
  readonly omitted?: number;
  /** The channel that was paused, or that is tested. */
  readonly channel?: NonNullable<DeliveryDetails['channel']>;
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
  /** By enabled kind of check. */
  readonly checks: readonly ToldCheck[];
  /** Without findings that need review. */
  readonly warnings: number;
  readonly needs_review: number;
  /** Whether a run of a schedule passed by its `fail_on`; null without a verdict. */
  readonly verdict: { readonly passed: boolean; readonly how_many: number; readonly fail_on: readonly FailOn[] } | null;
  readonly crawl_error: string | null;
  readonly crawl_error_code: string | null;
  /** Since the previous report of the site; null without one. */
  readonly change: ChangeCounts | null;
  readonly previous_report_id: string | null;
  /** The issue types with occurrences that are new or back, the worst first; and those with fixed ones. */
  readonly new_issues: readonly ToldIssue[];
  readonly fixed_issues: readonly ToldIssue[];
  /** How many further issue types each of these lists leaves out. */
  readonly omitted_new_issues: number;
  readonly omitted_fixed_issues: number;
  /** What to fix first. */
  readonly fixes: readonly ToldFix[];
}

export interface ToldCheck {
  readonly kind: CheckKind;
  readonly pages_checked: number;
  readonly pages_with_errors: number;
}

export interface ToldIssue {
  readonly kind: CheckKind;
  readonly issue_type: IssueType;
  readonly message: string;
  readonly impact: Impact | null;
  readonly change: TypeChange;
  /** In the report and in the one before. */
  readonly how_many: number;
  readonly how_many_before: number;
  readonly num_web_pages: number;
  readonly num_web_pages_before: number;
  /** Occurrences by change. */
  readonly occurrences: Readonly<Record<'new' | 'regressed' | 'fixed', number>>;
}

export interface ToldFix {
  readonly kind: CheckKind;
  readonly message: string;
  readonly how_many: number;
  readonly num_web_pages: number;
  readonly passing_before: number;
  readonly passing_after_plan: number;
}

/** Events that a digest tells: sixty schedules that run at night, and more. */
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
  return events.length === 0 ? null : { events, omitted };
}

/**
 * Composes what a delivery says, for the plan of the account now.
 * @param db a snapshot: a comparison that is replaced meanwhile would leave counts without their issues
 * @param baseUrl the public address of the dashboard, without a trailing slash
 * @returns null if the report that it is about, or every report that a digest is about, no longer exists
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
  const kinds = CHECK_KINDS.filter((kind) => hasPro(plan) || !engineOf(kind).isPro);
  const found = kinds.flatMap((kind) => {
    const sums = report.checks[kind];
    return sums === undefined ? [] : foundIn(sums, engineOf(kind).isGraded);
  });
  const compared = await changesSincePrevious(db, report.id, kinds);
  const fixes = await listFixes(db, report.id, kinds, { number: 1, size: FIXES_MAX });
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
    checks: kinds.flatMap((kind) => toldCheck(kind, report.checks[kind])),
    warnings: sum(found.filter((each) => each.errors_by_impact === undefined).map(({ warnings }) => warnings)),
    needs_review: sum(found.filter((each) => each.errors_by_impact !== undefined).map(({ warnings }) => warnings)),
    verdict: kinds.length === CHECK_KINDS.length ? verdictOf(report) : null,
    crawl_error: fullSentenceOf(report.crawl_error),
    crawl_error_code: codeOf(report.crawl_error),
    change: compared?.change ?? null,
    previous_report_id: compared?.withId ?? null,
    ...(await tellIssues(db, report.id, kinds, compared)),
    fixes: fixes.rows.map((fix) => ({
      kind: fix.kind,
      message: shortened(fix.message, TEXT_MAX_CHARACTERS),
      how_many: fix.how_many,
      num_web_pages: fix.num_web_pages,
      passing_before: fix.passing_before,
      passing_after_plan: fix.passing_after_plan,
    })),
  };
}

function toldCheck(kind: CheckKind, counts: ReportCheckCounts | undefined): ToldCheck[] {
  if (counts === undefined) return [];
  return [{ kind, pages_checked: counts.checked, pages_with_errors: counts.with_errors }];
}

function verdictOf({ fail_on: failOn, num_failing: howMany }: ReportWithChecks): ToldReport['verdict'] {
  return failOn === null || howMany === null ? null : { passed: howMany === 0, how_many: howMany, fail_on: failOn };
}

type ToldChanges = Pick<ToldReport, 'new_issues' | 'fixed_issues' | 'omitted_new_issues' | 'omitted_fixed_issues'>;

const NO_CHANGES: ToldChanges = { new_issues: [], fixed_issues: [], omitted_new_issues: 0, omitted_fixed_issues: 0 };

async function tellIssues(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
  compared: { readonly id: number; readonly withId: string } | undefined,
): Promise<ToldChanges> {
  if (compared === undefined) return NO_CHANGES;
  const comparison = { ...compared, reportId };
  const list = (changes: readonly ('new' | 'regressed' | 'fixed')[]) =>
    listIssueChanges(db, comparison, { kinds, changes }, { number: 1, size: ISSUES_MAX });
  const [worse, fixed] = [await list(['new', 'regressed']), await list(['fixed'])];
  return {
    new_issues: worse.rows.map(describeChange),
    fixed_issues: fixed.rows.map(describeChange),
    omitted_new_issues: worse.total - worse.rows.length,
    omitted_fixed_issues: fixed.total - fixed.rows.length,
  };
}

function describeChange(change: ListedChange): ToldIssue {
  const { kind, issue_type, impact, how_many, how_many_before, num_web_pages, num_web_pages_before } = change;
  const { new: added = 0, regressed = 0, fixed = 0 } = change.occurrences;
  return {
    ...{ kind, issue_type, impact, message: shortened(change.message, TEXT_MAX_CHARACTERS), change: change.change },
    ...{ how_many, how_many_before, num_web_pages, num_web_pages_before },
    occurrences: { new: added, regressed, fixed },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
