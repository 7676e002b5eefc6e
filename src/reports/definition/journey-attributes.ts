import { journeyNameMaxCharacters } from '../../../packages/client/marks.ts';
import { type Journey, type JourneyStep, loginSteps } from '../../domain/journey.ts';
import { LOGIN_SECRETS, type StoredSecrets, storedSecrets } from '../../domain/login.ts';
import { isObject } from '../../platform/json-object.ts';
import { journeyStepsMax, journeysMax, marksPerJourneyMax } from './limits.ts';
import { keepsSecrets, type Refuse, readStep } from './login-attributes.ts';

/**
 * Reads journeys.
 * @param refuse receives each problem, with the path below the journeys; the result is valid only without problems
 * @param stored the journeys with secrets that they replace; `any` if each secret counts as stored
 */
export function readJourneys(given: unknown, refuse: Refuse, stored: readonly Journey[] | 'any'): Journey[] {
  if (!Array.isArray(given)) {
    refuse([], 'must be an array');
    return [];
  }
  const list: readonly unknown[] = given;
  if (list.length > journeysMax) {
    refuse([], `must contain at most ${journeysMax} journeys`);
    return [];
  }
  const names = new Set<string>();
  return list.flatMap((one, index) => {
    const refuseIn: Refuse = (path, message) => refuse([String(index), ...path], message);
    const journey = isObject(one) ? readJourney(one, refuseIn, stored) : null;
    if (journey === null) refuseIn([], 'must be an object with name and steps');
    else if (names.has(journey.name)) refuseIn(['name'], 'is the name of another journey');
    else names.add(journey.name);
    return journey ?? [];
  });
}

/** Whether journeys have secrets, given or to be kept. */
export function haveSecrets(given: unknown): boolean {
  return stepsIn(given).some((step) => isObject(step) && LOGIN_SECRETS.some((name) => Object.hasOwn(step, name)));
}

/** Whether journeys are to keep secrets that are stored. */
export function keepSecrets(given: unknown): boolean {
  return keepsSecrets({ steps: stepsIn(given) });
}

function stepsIn(given: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  return list.flatMap((one): readonly unknown[] => (isObject(one) && Array.isArray(one['steps']) ? one['steps'] : []));
}

function readJourney(
  given: Readonly<Record<string, unknown>>,
  refuse: Refuse,
  stored: readonly Journey[] | 'any',
): Journey {
  const { name: givenName, steps: list, ...others } = given;
  for (const key of Object.keys(others)) refuse([key], 'is not one of name, steps');
  const name = readName(givenName, (message) => refuse(['name'], message));
  const steps: readonly unknown[] = Array.isArray(list) ? list : [];
  if (steps.length === 0 || steps.length > journeyStepsMax) {
    refuse(['steps'], `must have 1 to ${journeyStepsMax} steps`);
    return { name, steps: [] };
  }
  const keep = keeperOf(name, steps, stored);
  const read = steps.map((step, index) =>
    readJourneyStep(step, (path, message) => refuse(['steps', String(index), ...path], message), keep),
  );
  const [first] = steps;
  if (isObject(first) && !Object.hasOwn(first, 'open')) refuse(['steps', '0'], 'must open a URL');
  const known = read.filter((step) => step !== null);
  const marks = known.flatMap((step) => ('check' in step ? [step.check] : []));
  const isUnread = read.includes(null);
  if (!isUnread && (marks.length === 0 || marks.length > marksPerJourneyMax)) {
    refuse(['steps'], `must have 1 to ${marksPerJourneyMax} steps with check`);
  }
  for (const [index, step] of read.entries()) {
    const isTwice = step !== null && 'check' in step && marks.indexOf(step.check) < marks.lastIndexOf(step.check);
    if (isTwice) refuse(['steps', String(index), 'check'], 'must be unique in the journey');
  }
  return { name, steps: known };
}

function keeperOf(name: string, steps: readonly unknown[], stored: readonly Journey[] | 'any'): StoredSecrets {
  // A valid key for one-time passwords is a valid password, too.
  if (stored === 'any') return () => 'GEZDGNBVGY3TQOJQ';
  const known = stored.find((journey) => journey.name === name);
  return storedSecrets(known === undefined ? null : loginSteps(known.steps), steps);
}

function readJourneyStep(given: unknown, refuse: Refuse, keep: StoredSecrets): JourneyStep | null {
  if (!isObject(given) || !Object.hasOwn(given, 'check')) return readStep(given, refuse, keep, ['check']);
  const other = Object.keys(given).find((key) => key !== 'check');
  if (other !== undefined) refuse([other], 'is not allowed in a check step');
  return { check: readName(given['check'], (message) => refuse(['check'], message)) };
}

function readName(given: unknown, refuse: (message: string) => void): string {
  const name = typeof given === 'string' ? given.trim() : '';
  if (name === '') refuse("can't be blank");
  else if (name.length > journeyNameMaxCharacters) refuse(`must have at most ${journeyNameMaxCharacters} characters`);
  else if (/\p{Cc}/u.test(name) || !name.isWellFormed()) refuse('must not contain control characters');
  return name;
}
