import {
  type FileStep,
  freeJourneyName,
  type RecordedSteps,
  signsIn,
} from '../../../packages/client/recorded-steps.ts';
import { isSelector } from '../../page-source/select-elements.ts';
import { selectorMaxCharacters } from '../../reports/definition/limits.ts';

/** What the steps of another tool become. By default, steps that enter a password become a login, and others a journey. */
export type StepsTarget = 'login' | 'journeys';

/** Whether a configuration file accepts a selector. */
export function isUsable(selector: string): boolean {
  return selector.length <= selectorMaxCharacters && isSelector(selector);
}

/** Returns what steps become. */
export function targetOf(steps: readonly FileStep[], wanted: StepsTarget | undefined): StepsTarget {
  return wanted ?? (signsIn(steps) ? 'login' : 'journeys');
}

/** Whether steps do more than open pages. */
export function doSomething({ steps }: Pick<RecordedSteps, 'steps'>): boolean {
  return steps.some((step) => 'fill' in step || 'click' in step);
}

/** Returns the setting for the steps of a login, with a remark on the variables that they name. */
export function loginSetting(steps: readonly FileStep[], name: string) {
  return {
    settings: { login: { steps } },
    remarks: [
      `The steps of ${name} are imported as login: a browser performs them once, before the crawl. Delete steps that do not sign in, or import them with --steps-as journeys.`,
      ...secretsRemark(steps),
    ],
  };
}

/** The mark at the end of imported steps. */
const LAST_MARK = 'Last page';

/** Returns the setting for journeys, each with a mark at its end. */
export function journeysSetting(journeys: readonly { readonly name: string; readonly steps: readonly FileStep[] }[]) {
  const names = new Set<string>();
  const named = journeys.map(({ name, steps }) => {
    const free = freeJourneyName(name, names);
    names.add(free);
    return { name: free, steps: [...steps, { check: LAST_MARK }] };
  });
  const list = named.map(({ name }) => `“${name}”`).join(', ');
  return {
    settings: { journeys: named },
    remarks: [
      `The steps are imported as ${named.length === 1 ? 'the journey' : 'the journeys'} ${list}: the page at the end is checked. Add a step “check” for each other page to be checked, or import steps that sign in with --steps-as login.`,
      ...secretsRemark(journeys.flatMap(({ steps }) => steps)),
    ],
  };
}

function secretsRemark(steps: readonly FileStep[]): readonly string[] {
  const variables = [...new Set(steps.flatMap((step) => [step['secret_env'], step['totp_env']]))];
  const named = variables.filter((variable) => typeof variable === 'string').join(' and ');
  if (named === '') return [];
  return [
    `Values that may be secret are not imported: set the environment variables ${named}, or write a value that is not secret with “value”.`,
  ];
}
