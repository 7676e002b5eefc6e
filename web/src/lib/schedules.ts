import type { Weekday } from 'sitewarden-client/periodicity';

/** When schedules run, in words and as days, and how pipelines call deploy hooks. */

/** The days on which a schedule runs, as in the API; null if only its deploy hook starts it. */
export type ShownPeriodicity = {
  readonly every: 'day' | 'week' | 'month';
  readonly weekday?: Weekday;
  readonly monthday?: number;
} | null;

/** Returns the name of a weekday: `Friday`. */
export function weekdayName(weekday: Weekday): string {
  return weekday.slice(0, 1).toUpperCase() + weekday.slice(1);
}

/** Returns when a schedule runs: `every Friday`, `on day 1 of each month`, `only by its deploy hook`. */
export function whenOf(periodicity: ShownPeriodicity): string {
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
