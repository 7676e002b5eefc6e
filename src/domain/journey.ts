import type { NamedStep } from './failures/step-words.ts';
import {
  actionOf,
  LOGIN_SECRETS,
  type LoginAction,
  type LoginStep,
  type PageTest,
  secretsOfLogin,
  stepAsShown,
  storedSecrets,
} from './login.ts';

/** One step of a journey, as the API names it. `check` marks the page, in its state at that moment, to be checked. */
export type JourneyStep = LoginStep | { readonly check: string };

/** A named list of steps through a site, with marks. */
export interface Journey {
  readonly name: string;
  readonly steps: readonly JourneyStep[];
}

/** A step as it is shown and stored: true stands for each secret. */
export type ShownJourneyStep = ReturnType<typeof stepAsShown> | { readonly check: string };

export interface ShownJourney {
  readonly name: string;
  readonly steps: readonly ShownJourneyStep[];
}

export function shownJourney({ name, steps }: Journey): ShownJourney {
  return { name, steps: steps.map((step) => ('check' in step ? step : stepAsShown(step))) };
}

export function journeyActionOf(step: JourneyStep): LoginAction | 'check' {
  return 'check' in step ? 'check' : actionOf(step);
}

/** Returns a step as its failure names it. The query of a URL is left out: it may contain a secret, such as a token. */
export function namedStep(step: JourneyStep, index: number): NamedStep {
  return { step: index + 1, action: journeyActionOf(step), ...aboutStep(step) };
}

function aboutStep(step: JourneyStep): Omit<NamedStep, 'step' | 'action'> {
  if ('open' in step) return { url: withoutQuery(step.open) };
  if ('fill' in step) return { selector: step.fill };
  if ('click' in step) return { selector: step.click };
  if ('select' in step) return { selector: step.select };
  if ('press' in step) return { text: step.press };
  if ('check' in step) return { text: step.check };
  return namedTest('wait_for' in step ? step.wait_for : step.expect);
}

/** Returns the conditions of a page as a failure names them. */
export function namedTest(test: PageTest): PageTest {
  return { ...test, ...(test.url !== undefined && { url: withoutQuery(test.url) }) };
}

function withoutQuery(url: string): string {
  return url.replace(/([?#]).+/s, '$1…');
}

/** Returns the secrets of journeys. */
export function secretsOfJourneys(journeys: readonly Journey[]): string[] {
  return journeys.flatMap(({ steps }) => secretsOfLogin({ steps: loginSteps(steps) }));
}

/** Returns the steps that are not marks. */
export function loginSteps(steps: readonly JourneyStep[]): LoginStep[] {
  return steps.filter((step): step is LoginStep => !('check' in step));
}

/**
 * Returns a journey with its secrets.
 * @param stored the journeys of the site with secrets
 * @returns null if a secret is missing
 */
export function withStoredSecrets({ name, steps }: ShownJourney, stored: readonly Journey[]): Journey | null {
  const known = stored.find((journey) => journey.name === name);
  const take = storedSecrets(known === undefined ? null : loginSteps(known.steps), steps);
  const filled = steps.map((step): JourneyStep | null => {
    if (!('fill' in step) || 'value' in step) return step;
    const secret = LOGIN_SECRETS.find((part) => part in step);
    const text = secret && take(secret, step.fill);
    if (text === undefined) return null;
    return secret === 'totp' ? { fill: step.fill, totp: text } : { fill: step.fill, secret: text };
  });
  return filled.includes(null) ? null : { name, steps: filled.filter((step) => step !== null) };
}
