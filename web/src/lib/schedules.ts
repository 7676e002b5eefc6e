import { spreadMinutes, type Weekday } from 'sitewarden-client/periodicity';
import { dateTime, timeOf } from './formats.ts';
import { isKnownZone } from './time-zones.ts';

/** When schedules run, in words and as days, and how pipelines call deploy hooks. */

/** The days on which a schedule runs, as in the API; null if only its deploy hook starts it. */
export type ShownPeriodicity = {
  readonly every: 'day' | 'week' | 'month';
  readonly weekday?: Weekday;
  readonly monthday?: number;
} | null;

/** When a schedule runs, as in the API. */
export interface ShownTimes {
  /** Null for a schedule that is not saved yet. */
  readonly id: string | null;
  readonly periodicity: ShownPeriodicity;
  /** `07:30`; null for the time of the installation. */
  readonly time_of_day: string | null;
  readonly time_zone: string;
  readonly spread: boolean;
}

/** Returns the name of a weekday: `Friday`. */
export function weekdayName(weekday: Weekday): string {
  return weekday.slice(0, 1).toUpperCase() + weekday.slice(1);
}

/** Returns when a schedule runs: `every Friday at 07:30 (Europe/Berlin)`, `on day 1 of each month`, `only by its deploy hook`. */
export function whenOf(times: ShownTimes): string {
  const days = daysOf(times.periodicity);
  const start = startOf(times);
  if (start === null) return days;
  return `${days}${start.startsWith('at') ? '' : ','} ${start}`;
}

/**
 * Returns the time at which runs start on their days: `at 07:30 UTC`, `15 min after 07:30 (Europe/Berlin)`; null without days,
 * and for the installation's default time.
 */
export function startOf({ id, periodicity, time_of_day: time, time_zone: zone, spread }: ShownTimes): string | null {
  if (periodicity === null || time === null) return null;
  const delay = spread && id !== null ? spreadMinutes(id) : 0;
  return `${delay === 0 ? 'at' : `${delay} min after`} ${time} ${zone === 'UTC' ? zone : `(${zone})`}`;
}

/**
 * Returns runs as dates and times in the time zone of the schedule, with its name: `Fri 27 Nov, 07:30 · Fri 4 Dec, 07:30
 * (Asia/Tokyo)`. Uses the time zone of the browser if the schedule has no time of day.
 */
export function runsOf(timestamps: readonly string[], { time_of_day: time, time_zone: zone }: ShownTimes): string {
  if (time === null || !isKnownZone(zone)) return timestamps.map(dateTime).join(' · ');
  return `${timestamps.map((run) => runTime(timeOf(run), zone)).join(' · ')} (${zone})`;
}

/** Formats the time of a run: `Fri 27 Nov, 07:30`. */
export function runTime(time: Date, timeZone: string): string {
  return time.toLocaleString('en-GB', {
    ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit' },
  });
}

/** Returns the days: `every Friday`. */
export function daysOf(periodicity: ShownPeriodicity): string {
  switch (periodicity?.every) {
    case undefined:
      return 'only by its deploy hook';
    case 'day':
      return 'every day';
    case 'week':
      return `every ${weekdayName(periodicity?.weekday ?? 'monday')}`;
    case 'month':
      return `on day ${periodicity?.monthday ?? 1} of each month`;
  }
}

/** How a pipeline calls a deploy hook. For CI services, the URL comes from a stored secret. */
export interface HookCall {
  readonly title: string;
  /** What to do first; null if nothing. */
  readonly before: string | null;
  readonly text: string;
}

const CALL = 'curl --fail --silent --show-error --request POST';

/** Returns how to call a deploy hook. */
export function hookCalls(url: string): readonly HookCall[] {
  return [
    { title: 'curl', before: null, text: `${CALL} '${url}'` },
    {
      title: 'GitHub Actions',
      before: 'Store the URL as a repository secret named SITEWARDEN_HOOK, and call it after the deployment.',
      text: [
        '- name: Check the site',
        `  run: ${CALL} "$SITEWARDEN_HOOK"`,
        '  env:',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of GitHub Actions.
        '    SITEWARDEN_HOOK: ${{ secrets.SITEWARDEN_HOOK }}',
      ].join('\n'),
    },
    {
      title: 'GitLab CI',
      before: 'Store the URL as a masked CI/CD variable named SITEWARDEN_HOOK.',
      text: [
        'check-site:',
        '  stage: .post',
        '  image: curlimages/curl:latest',
        '  script:',
        `    - ${CALL} "$SITEWARDEN_HOOK"`,
        '  rules:',
        '    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH',
      ].join('\n'),
    },
  ];
}
