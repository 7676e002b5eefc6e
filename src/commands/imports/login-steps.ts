import {
  type FileStep,
  freeJourneyName,
  type RecordedSteps,
  signsIn,
} from '../../../packages/client/recorded-steps.ts';
import { isSelector } from '../../page-source/select-elements.ts';
import { selectorMaxCharacters } from '../../reports/definition/limits.ts';
import { type Imported, type ImportedJourney, NOTHING } from './imported.ts';

/** What steps of another tool became. */
export type ImportedSteps = Pick<Imported, 'settings' | 'journeys' | 'remarks' | 'notes'>;

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

/** Returns steps as the setting for the login, with a remark on the variables that they name. */
export function importedLogin(steps: readonly FileStep[], name: string): ImportedSteps {
  return {
    ...NOTHING,
    settings: { login: { steps } },
    remarks: secretsRemark(steps),
    notes: [
      `The steps of ${name} are imported as login: a browser performs them once, before the crawl. Delete steps that do not sign in, or import them with --steps-as journeys.`,
    ],
  };
}

/** The name of the check at the end of imported steps. */
const LAST_MARK = 'Last page';

/** Returns the journeys, each with a check at its end. */
export function importedJourneys(journeys: readonly ImportedJourney[]): ImportedSteps {
  const named = withFreeNames(journeys.map(({ name, steps }) => ({ name, steps: [...steps, { check: LAST_MARK }] })));
  const list = named.map(({ name }) => `“${name}”`).join(', ');
  return {
    ...NOTHING,
    journeys: named,
    remarks: secretsRemark(journeys.flatMap(({ steps }) => steps)),
    notes: [
      `The steps are imported as ${named.length === 1 ? 'the journey' : 'the journeys'} ${list}: the page at the end is checked. Add a “check” step for each other page to check, or import steps that sign in with --steps-as login.`,
    ],
  };
}

/** Returns the journeys with unique names. */
export function withFreeNames(journeys: readonly ImportedJourney[]): readonly ImportedJourney[] {
  const names = new Set<string>();
  return journeys.map(({ name, steps }) => {
    const free = freeJourneyName(name, names);
    names.add(free);
    return { name: free, steps };
  });
}

function secretsRemark(steps: readonly FileStep[]): readonly string[] {
  const variables = [...new Set(steps.flatMap((step) => [step['secret_env'], step['totp_env']]))];
  const named = variables.filter((variable) => typeof variable === 'string');
  if (named.length === 0) return [];
  const list = new Intl.ListFormat('en-GB').format(named);
  return [
    `Values that may be secret are not imported: set the environment variables ${list}. If a value is not secret, replace “secret_env” with “value”.`,
  ];
}
