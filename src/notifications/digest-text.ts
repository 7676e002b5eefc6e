import { plural } from '../domain/amounts.ts';
import { oneLine } from '../platform/shorten.ts';
import type { Message, ToldReport } from './compose-message.ts';
import { eventText, type Item, type List, type MessageText } from './event-text.ts';

/** The maximum numbers of events that a digest lists: events that need attention, and others. The rest is in the dashboard. */
const WORSE_MAX = 40;
const OTHERS_MAX = 20;
/** Limits the message of what to fix first, on one line. */
const FIX_MAX_CHARACTERS = 120;

/** An event of a digest: of several about the same report, the worst. */
interface Entry {
  readonly message: Message;
  readonly rank: number;
  /** Orders entries of equal rank, the worst first. */
  readonly weight: number;
}

/** The rank of runs that their schedule counts as failed, although nothing got worse. */
const NOT_PASSED = 5;
/** The first rank that needs no action. */
const FINE = 10;

/**
 * Turns any message into sentences.
 * @param baseUrl the public address of the dashboard, without a trailing slash
 */
export function messageText(message: Message, baseUrl: string): MessageText {
  const { events, omitted = 0 } = message.data;
  return events === undefined ? eventText(message, baseUrl) : digestText(events, omitted, baseUrl);
}

/** Lists the worst first, and each report once. */
function digestText(events: readonly Message[], omitted: number, baseUrl: string): MessageText {
  const entries = [...Map.groupBy(events, keyOf).values()].map(worstOf).sort(byWeight);
  const worse = entries.filter(({ rank }) => rank < FINE);
  const others = entries.filter(({ rank }) => rank >= FINE);
  const reports = entries.filter(({ message }) => message.data.report !== undefined).length;
  const more = omitted > 0 ? [`${plural(omitted, 'more event')} not shown.`] : [];
  return {
    title: `Summary: ${summaryOf(entries)}`,
    sentences: [`${plural(reports, 'report')} since the last summary.`, ...more],
    lists: [
      { title: 'Needs attention', ...listed(worse, WORSE_MAX, baseUrl) },
      { title: 'Finished', ...listed(others, OTHERS_MAX, baseUrl) },
    ].filter(({ items }) => items.length > 0),
    link: { text: 'Open dashboard', url: `${baseUrl}/` },
  };
}

function keyOf({ type, timestamp, data }: Message): string {
  return data.report?.id ?? `${type} ${timestamp}`;
}

function worstOf(messages: readonly Message[]): Entry {
  const [worst] = messages.map((message) => ({ message, ...rankOf(message) })).sort(byWeight);
  if (worst === undefined) throw new Error('A group has at least one message.');
  return worst;
}

function byWeight(one: Omit<Entry, 'message'>, other: Omit<Entry, 'message'>): number {
  return one.rank - other.rank || other.weight - one.weight;
}

function rankOf({ type, data: { report } }: Message): Omit<Entry, 'message'> {
  const change = report?.change;
  switch (type) {
    case 'report.failed':
      return { rank: 0, weight: 0 };
    case 'schedule.got_worse': {
      const critical = change?.new_critical ?? 0;
      return critical > 0 ? { rank: 1, weight: critical } : { rank: 2, weight: change?.new_errors ?? 0 };
    }
    case 'schedule.out_of_credits':
      return { rank: 3, weight: 0 };
    case 'report.finished':
      if (report?.verdict?.passed === false) return { rank: NOT_PASSED, weight: report.errors };
      return { rank: FINE, weight: report?.errors ?? 0 };
    case 'backup.recovered':
      return { rank: FINE, weight: 0 };
    default:
      return { rank: 4, weight: 0 };
  }
}

/** Counts what happened, the worst first. */
function summaryOf(entries: readonly Entry[]): string {
  const count = (type: Message['type']): number => entries.filter(({ message }) => message.type === type).length;
  const [failed, worse, credits, backups] = [
    count('report.failed'),
    count('schedule.got_worse'),
    count('schedule.out_of_credits'),
    count('backup.failed'),
  ];
  const notPassed = entries.filter(({ rank }) => rank === NOT_PASSED).length;
  const parts = [
    ...(failed > 0 ? [`${plural(failed, 'site')} could not be checked`] : []),
    ...(worse > 0 ? [`${plural(worse, 'site')} got worse`] : []),
    ...(notPassed > 0 ? [`${plural(notPassed, 'site')} did not pass`] : []),
    ...(credits > 0 ? [`${plural(credits, 'schedule')} ran out of credits`] : []),
    ...(backups > 0 ? ['scheduled backups failed'] : []),
  ];
  return parts.length === 0 ? 'nothing got worse' : parts.join(', ');
}

function listed(entries: readonly Entry[], max: number, baseUrl: string): Omit<List, 'title'> {
  const items = entries.slice(0, max).map(({ message }) => itemOf(message, baseUrl));
  return { items, left: entries.length - items.length, url: `${baseUrl}/reports` };
}

function itemOf(message: Message, baseUrl: string): Item {
  const { report, schedule } = message.data;
  const text = `${eventText(message, baseUrl).title}${message.type === 'schedule.got_worse' ? firstFix(report) : ''}`;
  return { text, url: report?.url ?? schedule?.url ?? null };
}

function firstFix(report: ToldReport | undefined): string {
  const [fix] = report?.fixes ?? [];
  return fix === undefined ? '' : `. Fix first: ${oneLine(fix.message, FIX_MAX_CHARACTERS)}`;
}
