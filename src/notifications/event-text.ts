import { comparedOf, decidedSentence, OTHER_CHANGES, occurrenceWords } from '../../packages/client/changes.ts';
import { failingWords } from '../../packages/client/fail-on.ts';
import { severeFreeWords } from '../../packages/client/severe-free.ts';
import { measuredByWords } from '../../packages/client/standards.ts';
import { alsoFixedWords, engineOf, followsStandard } from '../checks/registry.ts';
import { plural } from '../domain/amounts.ts';
import { errorWords, pageWords, severityWords } from '../domain/counts.ts';
import { cutShortBy } from '../domain/crawl.ts';
import { fixEffectWords } from '../domain/fix-effect.ts';
import { NEAR_LIMIT_PERCENT, type WorseReason } from '../domain/notifications.ts';
import { oneLine } from '../platform/shorten.ts';
import type { Message, ToldFix, ToldIssue, ToldReport } from './compose-message.ts';

/** Limits a text from a site or an account, on one line. */
const TEXT_MAX_CHARACTERS = 200;

/** A line of a list. */
export interface Item {
  readonly text: string;
  /** The target of its link; null without a link. */
  readonly url: string | null;
}

/** The beginning of a list. */
export interface List {
  readonly title: string;
  readonly items: readonly Item[];
  /** The number of items that it leaves out, and the link to all of them. */
  readonly left: number;
  readonly url: string;
}

/** A message for people, without markup. Each text is one line. */
export interface MessageText {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly lists: readonly List[];
  readonly link: { readonly text: string; readonly url: string } | null;
}

/** Returns the lines of a list. If it leaves out items, the last line shows how many. */
export function linesOf({ items, left, url }: List): readonly Item[] {
  return left === 0 ? items : [...items, { text: `and ${number(left)} more`, url }];
}

/**
 * Turns a message that is not a digest into sentences.
 * @param baseUrl the public address of the dashboard, without a trailing slash
 */
export function eventText({ type, data }: Message, baseUrl: string): MessageText {
  switch (type) {
    case 'report.finished':
    case 'report.failed':
    case 'schedule.got_worse':
      return data.report === undefined ? NOTHING : aboutReport(type, data.report, data.reasons ?? []);
    case 'schedule.out_of_credits':
      return aboutCredits({ type, data });
    case 'guest.near_limit':
      return aboutGuest({ data }, baseUrl);
    case 'channel.paused': {
      const sentence =
        'Every delivery failed for several days, or the receiver returned 410. Only test messages are sent to this channel until you resume it.';
      return { ...NOTHING, title: `The notification channel ${channelOf({ data })} was paused`, sentences: [sentence] };
    }
    case 'backup.failed':
    case 'backup.recovered':
      return aboutBackup({ data }, baseUrl);
    case 'digest':
      return NOTHING;
    case 'confirmation':
      return {
        ...NOTHING,
        title: 'Confirm your email address for sitewarden',
        sentences: [
          `A user of ${line(new URL(baseUrl).host)} wants to send website check notifications to this address.`,
          "Nothing is sent until you confirm. If you don't recognize this request, ignore this email.",
        ],
      };
    case 'test':
      return {
        ...NOTHING,
        title: `Test of the notification channel ${channelOf({ data })}`,
        sentences: ['It works: notifications about your reports and schedules will arrive here.'],
        link: { text: 'Open dashboard', url: `${baseUrl}/` },
      };
  }
}

const NOTHING: MessageText = { title: '', sentences: [], lists: [], link: null };

function aboutReport(
  type: 'report.finished' | 'report.failed' | 'schedule.got_worse',
  report: ToldReport,
  reasons: readonly WorseReason[],
): MessageText {
  const site = siteOf(report.starting_url);
  const error = report.crawl_error === null ? [] : [line(report.crawl_error)];
  const link = { text: 'View report', url: report.url };
  if (type === 'report.failed') return { ...NOTHING, title: `${site} could not be checked`, sentences: error, link };
  return {
    title: `${site} ${type === 'schedule.got_worse' ? worseBy(reasons, report) : endOf(report)}`,
    sentences: [
      ...coverageOf(report),
      `Passing pages: ${number(report.pages_passed)} of ${number(report.pages_checked)}. Errors: ${number(report.errors)}. Warnings: ${number(report.warnings)}. Need review: ${number(report.needs_review)}.`,
      ...severeFreeOf(report),
      ...measuredBy(report),
      changeOf(report),
      ...failedVerdict(report),
      ...error,
    ],
    lists: listsOf(report).filter(({ items }) => items.length > 0),
    link,
  };
}

function listsOf(report: ToldReport): List[] {
  const { url, new_issues: added, fixed_issues: fixed, fixes, left_out: left } = report;
  return [
    {
      title: `${cameWords(report)} since the last report`,
      items: added.map(addedItem),
      ...{ left: left.new_issues, url: `${url}/changes` },
    },
    {
      title: 'Fixed since the last report',
      items: fixed.map(issueItem),
      ...{ left: left.fixed_issues, url: `${url}/changes` },
    },
    { title: 'Fix first', items: fixes.map((fix) => fixItem(fix, report)), left: left.fixes, url },
  ];
}

function worseBy(reasons: readonly WorseReason[], report: ToldReport): string {
  const changes = reasons.flatMap((reason) => CHANGES[reason]?.(report) ?? []);
  const verdict = reasons.includes('fail_on')
    ? ['no longer passes']
    : report.verdict?.passed === false
      ? ['did not pass']
      : [];
  return changes.length === 0 ? verdict.join() : `got worse: ${[...changes, ...verdict].join(', ')}`;
}

/** The changes since the previous report. Critical errors are part of the errors. */
const CHANGES: Readonly<Partial<Record<WorseReason, (report: ToldReport) => string>>> = {
  new_errors({ change }) {
    const [errors, critical] = [change?.new_errors ?? 0, change?.new_critical ?? 0];
    const some = change?.regressed === 0 ? plural(errors, 'new error') : `${plural(errors, 'error')} new or back`;
    return `${some}${critical > 0 ? ` (${number(critical)} critical)` : ''}`;
  },
  broken_pages: ({ change }) => `${plural(change?.broken_pages ?? 0, 'more page')} could not be checked`,
};

function cameWords({ change }: ToldReport): string {
  return (change?.regressed ?? 0) > 0 ? 'New or back' : 'New';
}

function endOf(report: ToldReport): string {
  if (report.verdict?.passed === false) return `did not pass: ${errorsOf(report)}`;
  return `${cutShortBy(report.crawl_error_code) !== null ? 'was stopped early, and has' : 'has'} ${errorsOf(report)}`;
}

function failedVerdict({ verdict }: ToldReport): string[] {
  if (verdict === null || verdict.passed) return [];
  const { how_many: howMany, fail_on: failOn } = verdict;
  return [`Runs of the schedule fail on ${failingWords(failOn)}; this run has ${number(howMany)}.`];
}

function errorsOf(report: ToldReport): string {
  const checks = report.checks.map(({ kind, ...check }) => ({ ...check, words: engineOf(kind).words }));
  return errorWords({ ...report, checks });
}

/** Returns how many pages were found and checked, unless all checks ran on all pages. */
function coverageOf({ num_pages, pages_checked: checked, checks }: ToldReport): string[] {
  if (num_pages === checked) return [];
  const byKind = Object.fromEntries(checks.map(({ kind, pages_checked }) => [kind, { checked: pages_checked }]));
  return [`${pageWords({ num_pages, checked_pages: checked, checks: byKind })}.`];
}

function severeFreeOf({ checks }: ToldReport): string[] {
  return checks.flatMap(({ pages_severe_free: pages, pages_checked: checked, pages_with_errors: failing }) =>
    pages === null || failing === 0 ? [] : `${severeFreeWords({ pages, checked })}.`,
  );
}

function measuredBy(report: ToldReport): string[] {
  const words = measuredByWords(report, followsStandard(report.checks.map(({ kind }) => kind)));
  return words === '' ? [] : [`${words}.`];
}

function changeOf({ change }: ToldReport): string {
  if (change === null) return 'There is no earlier report to compare with.';
  const changes = `Since the last report: ${occurrenceWords(change) || 'nothing new, nothing fixed'}.`;
  return [changes, decidedSentence(change.decided)].join(' ').trimEnd();
}

/** Returns the item of an issue with its effect on visitors. */
function addedItem(issue: ToldIssue): Item {
  const { text, url } = issueItem(issue);
  const { effect_on_visitors: effect } = issue;
  return { text: effect === null ? text : `${text}. ${effect}`, url };
}

/** Returns the changes of the occurrences: `2 new, 4 → 6 on 3 pages`, `1 fixed, was on 1 page`. */
function issueItem(issue: ToldIssue): Item {
  const { message, issue_type: type, impact, occurrences } = issue;
  const { before, now } = comparedOf(occurrences);
  const extent = before > 0 && now > 0 ? [`${number(before)} → ${number(now)}`] : [];
  const parts = [severityWords(type, impact), occurrenceWords(occurrences, OTHER_CHANGES), ...extent].join(', ');
  const pages =
    issue.how_many === 0
      ? `, was on ${plural(issue.num_web_pages_before, 'page')}`
      : ` on ${plural(issue.num_web_pages, 'page')}`;
  return { text: `${line(message)} (${parts}${pages})`, url: null };
}

function fixItem(fix: ToldFix, { pages_checked: pages, errors }: ToldReport): Item {
  const where = `${plural(fix.how_many, 'occurrence')} on ${plural(fix.num_web_pages, 'page')}${alsoFixedWords(fix)}`;
  const effect = fixEffectWords(fix, { pages, errors });
  return { text: `${line(fix.message)} (${line(where)}; ${effect})`, url: null };
}

function aboutCredits({ data: { schedule, report, payer } }: Pick<Message, 'type' | 'data'>): MessageText {
  const url = report?.starting_url ?? schedule?.starting_url;
  const whose = payer === 'guest' ? "the guest's credits for this month are used up" : 'the credits are used up';
  const remedy =
    payer === 'guest'
      ? 'Ask the host to raise the limit, or wait until next month.'
      : 'Ask the operator of this installation for more.';
  const what =
    report === undefined ? 'A scheduled report could not be created' : 'A report ended before all pages were checked';
  const link =
    report !== undefined
      ? { text: 'View report', url: report.url }
      : schedule === undefined
        ? null
        : { text: 'View schedule', url: schedule.url };
  const site = url === undefined ? 'a schedule' : `the schedule of ${siteOf(url)}`;
  return { ...NOTHING, title: `No credits for ${site}`, sentences: [`${what}: ${whose}. ${remedy}`], link };
}

function aboutGuest({ data: { guest } }: Pick<Message, 'data'>, baseUrl: string): MessageText {
  if (guest === undefined) return NOTHING;
  const { name, current_usage: used, max_usage: max } = guest;
  return {
    ...NOTHING,
    title: `The guest ${line(name) || guest.id} is near the limit: ${number(used)} of ${number(max)} credits used this month`,
    sentences: [`The guest has used at least ${NEAR_LIMIT_PERCENT}%. The guest's checks stop at the limit.`],
    link: { text: 'View guest accounts', url: `${baseUrl}/guests` },
  };
}

function aboutBackup({ data: { backup } }: Pick<Message, 'data'>, baseUrl: string): MessageText {
  if (backup === undefined) return NOTHING;
  const { error, last_backup_at: lastAt } = backup;
  const host = line(new URL(baseUrl).host);
  if (error === null) {
    const sentences = ['The scheduled backup was written and verified.'];
    return { ...NOTHING, title: `Scheduled backups of ${host} work again`, sentences };
  }
  const last =
    lastAt === null ? 'There is no complete scheduled backup yet.' : `The last complete one is from ${lastAt}.`;
  const next = 'sitewarden tries again every hour, and sends another message when backups work again.';
  const sentences = [`Reason: ${line(error)}`, last, next];
  return { ...NOTHING, title: `The scheduled backup of ${host} failed`, sentences };
}

function channelOf({ data: { channel } }: Pick<Message, 'data'>): string {
  return line(channel?.name || channel?.target || '');
}

/** Returns the name of a site for people: its host, with the path if it has one. */
function siteOf(startingUrl: string): string {
  const url = URL.parse(startingUrl);
  return line(url === null ? startingUrl : `${url.host}${url.pathname === '/' ? '' : url.pathname}${url.search}`);
}

function line(text: string): string {
  return oneLine(text, TEXT_MAX_CHARACTERS);
}

function number(value: number): string {
  return value.toLocaleString('en');
}
