import { engineOf } from '../checks/registry.ts';
import { amount } from '../domain/amounts.ts';
import { errorWords, pageWords, severityWords } from '../domain/counts.ts';
import { CUT_SHORT } from '../domain/crawl.ts';
import { NEAR_LIMIT_PERCENT, type WorseReason } from '../domain/notifications.ts';
import { oneLine } from '../platform/shorten.ts';
import type { Message, ToldFix, ToldIssue, ToldReport } from './compose-message.ts';

/** Of a text from a site or an account, in a line. */
const TEXT_MAX_CHARACTERS = 200;

/** A line of a list. */
export interface Item {
  readonly text: string;
  /** Where it leads; null for nowhere. */
  readonly url: string | null;
}

/** A message for people, without markup. Each text is one line. */
export interface MessageText {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly lists: readonly { readonly title: string; readonly items: readonly Item[] }[];
  readonly link: { readonly text: string; readonly url: string } | null;
}

/**
 * Makes sentences of a message that is not a digest.
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
        'Its deliveries have only failed for some days, or its receiver wants no more. It gets nothing until it is activated again.';
      return { ...NOTHING, title: `The notification channel ${channelOf({ data })} was paused`, sentences: [sentence] };
    }
    case 'digest':
      return NOTHING;
    case 'confirmation':
      return {
        ...NOTHING,
        title: 'Confirm mails of sitewarden',
        sentences: [
          `Somebody with an account at ${line(new URL(baseUrl).host)} wants to have mails about the checks of web sites sent to this address.`,
          'They begin when you confirm the address. If you do not know what this is about, do nothing.',
        ],
      };
    case 'test':
      return {
        ...NOTHING,
        title: `Test of the notification channel ${channelOf({ data })}`,
        sentences: ['It works: this is where sitewarden tells what happens to your reports and schedules.'],
        link: { text: 'Open the dashboard', url: `${baseUrl}/` },
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
  const link = { text: 'Open the report', url: report.url };
  if (type === 'report.failed') return { ...NOTHING, title: `${site} could not be checked`, sentences: error, link };
  return {
    title: `${site} ${type === 'schedule.got_worse' ? worseBy(reasons, report) : endOf(report)}`,
    sentences: [
      ...coverageOf(report),
      `Pages that pass: ${number(report.pages_passed)} of ${number(report.pages_checked)}. Errors: ${number(report.errors)}. Warnings: ${number(report.warnings)}. Need review: ${number(report.needs_review)}.`,
      changeOf(report),
      ...failedVerdict(report),
      ...error,
    ],
    lists: [
      {
        title: 'New since the last report',
        items: [
          ...report.new_issues.map((issue) => issueItem(issue, CAME)),
          ...moreItem(report.omitted_new_issues, report),
        ],
      },
      {
        title: 'Fixed since the last report',
        items: [
          ...report.fixed_issues.map((issue) => issueItem(issue, WENT)),
          ...moreItem(report.omitted_fixed_issues, report),
        ],
      },
      { title: 'Fix first', items: report.fixes.map(fixItem) },
    ].filter(({ items }) => items.length > 0),
    link,
  };
}

function worseBy(reasons: readonly WorseReason[], report: ToldReport): string {
  const changes = reasons.flatMap((reason) => CHANGES[reason]?.(report) ?? []);
  const verdict = reasons.includes('fail_on') ? ['no longer passes'] : [];
  return changes.length === 0 ? verdict.join() : `got worse: ${[...changes, ...verdict].join(', ')}`;
}

/** What has changed since the report before. New critical errors are part of the new errors. */
const CHANGES: Readonly<Partial<Record<WorseReason, (report: ToldReport) => string>>> = {
  new_errors({ change }) {
    const critical = change?.new_critical ?? 0;
    return `${amount(change?.new_errors ?? 0, 'new error')}${critical > 0 ? ` (${number(critical)} critical)` : ''}`;
  },
  broken_pages: ({ change }) => `${amount(change?.broken_pages ?? 0, 'page')} can no longer be checked`,
};

function endOf(report: ToldReport): string {
  if (report.verdict?.passed === false) return `did not pass: ${errorsOf(report)}`;
  const isCutShort = CUT_SHORT.some((code) => code === report.crawl_error_code);
  return `${isCutShort ? 'was stopped early, and has' : 'has'} ${errorsOf(report)}`;
}

function failedVerdict({ verdict }: ToldReport): string[] {
  if (verdict === null || verdict.passed) return [];
  const { how_many: howMany, fail_on: failOn } = verdict;
  const found = `${number(howMany)} ${howMany === 1 ? 'issue or page matches' : 'issues or pages match'}`;
  return [`Its schedule counts this run as failed: ${found} its fail_on (${failOn.join(', ')}).`];
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

function changeOf({ change }: ToldReport): string {
  if (change === null) return 'There is no earlier report to compare it with.';
  const { new: added, regressed, fixed } = change;
  const back = regressed > 0 ? `, ${number(regressed)} back` : '';
  return `Since the last report: ${number(added)} new${back}, ${number(fixed)} fixed.`;
}

/** Returns how many occurrences came or went, and how many there were and are: `2 new, 4 → 6 on 3 pages`, `1 fixed on 1 page`. */
function issueItem(
  issue: ToldIssue,
  changes: readonly (readonly ['new' | 'regressed' | 'fixed', words: string])[],
): Item {
  const { message, issue_type: type, impact, how_many: now, how_many_before: before, occurrences } = issue;
  const changed = changes
    .filter(([change]) => occurrences[change] > 0)
    .map(([change, words]) => `${number(occurrences[change])} ${words}`);
  const pages = amount(now === 0 ? issue.num_web_pages_before : issue.num_web_pages, 'page');
  const extent = now > 0 && before > 0 ? [`${number(before)} → ${number(now)}`] : [];
  const parts = [severityWords(type, impact), ...changed, ...extent].join(', ');
  return { text: `${line(message)} (${parts} on ${pages})`, url: null };
}

/** Says how many issue types a list leaves out. */
function moreItem(omitted: number, { url }: ToldReport): Item[] {
  return omitted === 0 ? [] : [{ text: `and ${amount(omitted, 'more issue type')}`, url: `${url}/changes` }];
}

const CAME = [
  ['new', 'new'],
  ['regressed', 'back'],
] as const;
const WENT = [['fixed', 'fixed']] as const;

function fixItem(fix: ToldFix): Item {
  const { message, how_many: places, num_web_pages: pages, passing_before: before, passing_after_plan: after } = fix;
  const effect =
    after > before
      ? `; then ${amount(after, 'page')} ${after === 1 ? 'passes' : 'pass'} instead of ${number(before)}`
      : '';
  return { text: `${line(message)} (${amount(places, 'place')} on ${amount(pages, 'page')}${effect})`, url: null };
}

function aboutCredits({ data: { schedule, report, payer } }: Pick<Message, 'type' | 'data'>): MessageText {
  const url = report?.starting_url ?? schedule?.starting_url;
  const whose = payer === 'guest' ? "the guest's credits of this month are used up" : 'the credits are used up';
  const remedy =
    payer === 'guest'
      ? 'Ask the host to raise the limit, or wait until next month.'
      : 'Ask the operator of this service for more.';
  const what =
    report === undefined ? 'A report was due and could not be created' : 'A report ended before everything was checked';
  const link =
    report !== undefined
      ? { text: 'Open the report', url: report.url }
      : schedule === undefined
        ? null
        : { text: 'Open the schedule', url: schedule.url };
  const site = url === undefined ? 'a schedule' : `the schedule of ${siteOf(url)}`;
  return { ...NOTHING, title: `No credits for ${site}`, sentences: [`${what}: ${whose}. ${remedy}`], link };
}

function aboutGuest({ data: { guest } }: Pick<Message, 'data'>, baseUrl: string): MessageText {
  if (guest === undefined) return NOTHING;
  const { name, current_usage: used, max_usage: max } = guest;
  return {
    ...NOTHING,
    title: `The guest ${line(name) || guest.id} has used ${number(used)} of ${amount(max, 'credit')}`,
    sentences: [`More than ${NEAR_LIMIT_PERCENT}% of this month are used. Checks of the guest stop at the limit.`],
    link: { text: 'Open the guest accounts', url: `${baseUrl}/guests` },
  };
}

function channelOf({ data: { channel } }: Pick<Message, 'data'>): string {
  return line(channel?.name || channel?.target || '');
}

/** Returns what people call a site: its host, with the path if it has one. */
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
