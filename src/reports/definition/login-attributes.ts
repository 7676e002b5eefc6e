import Type from 'typebox';
import {
  LOGIN_ACTIONS,
  LOGIN_SECRETS,
  type Login,
  type LoginAction,
  type LoginStep,
  type PageTest,
  type StoredSecrets,
  storedSecrets,
} from '../../domain/login.ts';
import { ADDITIVE } from '../../domain/schemas.ts';
import { LOGIN_STEP, PAGE_TEST } from '../../domain/step-schema.ts';
import { parseTotpKey } from '../../logins/totp.ts';
import type { Phrase } from '../../platform/fault.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { selectorProblem } from './css-selector.ts';
import {
  credentialMaxCharacters,
  loginStepsMax,
  loginTextMaxCharacters,
  selectorMaxCharacters,
  startingUrlMaxCharacters,
} from './limits.ts';

/** Records the problem of a part, worded to follow its path. */
export type Refuse = (path: readonly string[], message: Phrase) => void;

/** The login of a site, in requests and responses. */
export const LOGIN = Type.Object(
  {
    steps: Type.Array(LOGIN_STEP, {
      description: `Up to ${loginStepsMax} steps. The first one opens a URL.`,
    }),
    signed_in: Type.Optional(
      Type.Union([PAGE_TEST, Type.Null()], {
        description:
          'What the last page of the login must show as long as the session lasts. If it is not set, the session counts as ended when that page asks for a password or leads to a login page.',
      }),
    ),
  },
  { additionalProperties: false },
);

const EXAMPLE = {
  steps: [
    { open: 'https://example.com/login' },
    { fill: '#user', value: 'checker' },
    { fill: '#password', secret: 'correct horse battery staple' },
    { click: 'button[type=submit]' },
  ],
  signed_in: { selector: '#account-menu' },
};

export const LOGIN_ATTRIBUTE = Type.Optional(
  Type.Union([LOGIN, Type.Null()], {
    description:
      'How to sign in with the login form of the site: steps that a browser performs before the crawl, and again when the session ends. Crawl and checks share the session. Secrets are stored encrypted and never shown. If issues contain text that looks like one, asterisks replace it.',
    examples: [EXAMPLE, null],
    ...ADDITIVE,
  }),
);

/**
 * Reads a login.
 * @param refuse receives each problem, with the path below the login; the result is valid only without problems
 * @param stored the login that it replaces, whose secrets it can keep
 */
export function readLogin(given: unknown, refuse: Refuse, stored: Login | null): Login | null {
  if (!isObject(given)) return null;
  const { steps: list, signed_in: test } = given;
  const steps: readonly unknown[] = Array.isArray(list) ? list : [];
  if (steps.length === 0 || steps.length > loginStepsMax) {
    refuse(['steps'], `must have 1 to ${loginStepsMax} steps`);
    return null;
  }
  const keep = storedSecrets(stored?.steps ?? null, steps);
  const read = steps.map((step, index) =>
    readStep(step, (path, message) => refuse(['steps', String(index), ...path], message), keep),
  );
  const [first] = steps;
  if (isObject(first) && !Object.hasOwn(first, 'open')) refuse(['steps', '0'], 'must open a URL');
  const signedIn = isObject(test) ? readTest(test, (path, message) => refuse(['signed_in', ...path], message)) : null;
  return { steps: read.filter((step) => step !== null), signed_in: signedIn };
}

/** Whether a login is to keep secrets that are stored. */
export function keepsSecrets(given: unknown): boolean {
  const steps: readonly unknown[] = isObject(given) && Array.isArray(given['steps']) ? given['steps'] : [];
  return steps.some((step) => isObject(step) && LOGIN_SECRETS.some((name) => step[name] === true));
}

/** The parts of a step in addition to its action. */
const PARTS: Readonly<Record<LoginAction, readonly string[]>> = {
  open: [],
  fill: ['value', ...LOGIN_SECRETS],
  click: [],
  press: [],
  select: ['value'],
  wait_for: [],
  expect: [],
};

const KNOWN_PARTS = [...LOGIN_ACTIONS, ...Object.values(PARTS).flat()];

/**
 * Reads a step.
 * @param others names of actions that the caller reads
 */
export function readStep(
  given: unknown,
  refuse: Refuse,
  keep: StoredSecrets,
  others: readonly string[] = [],
): LoginStep | null {
  if (!isObject(given)) return refused(refuse, [], 'must be an object');
  const actions = LOGIN_ACTIONS.filter((name) => Object.hasOwn(given, name));
  const [action] = actions;
  if (action === undefined || actions.length > 1) return refuseActions(given, refuse, [...LOGIN_ACTIONS, ...others]);
  const other = Object.keys(given).find((name) => name !== action && !PARTS[action].includes(name));
  if (other !== undefined) return refused(refuse, [other], `is not allowed in a step with ${action}`);
  const target = given[action];
  if (action === 'wait_for' || action === 'expect') {
    if (!isObject(target)) return refused(refuse, [action], 'must be an object with url, selector or text');
    const test = readTest(target, (path, message) => refuse([action, ...path], message));
    return action === 'expect' ? { expect: test } : { wait_for: test };
  }
  if (typeof target !== 'string') return refused(refuse, [action], 'must be a string');
  if (action === 'open' && others.length > 0 && isPath(target)) return { open: target };
  const problem = problemOf(action, target);
  if (problem !== null) return refused(refuse, [action], problem);
  switch (action) {
    case 'open':
      return { open: new URL(target).href };
    case 'click':
      return { click: target };
    case 'press':
      return { press: target };
    case 'select':
      return readValue(given, refuse, (value) => ({ select: target, value }));
    case 'fill':
      return readFill(target, given, refuse, keep);
  }
}

/** Names an action that does not exist, such as `fil`. */
function refuseActions(given: JsonObject, refuse: Refuse, actions: readonly string[]): null {
  const unknown = Object.keys(given).find((name) => !KNOWN_PARTS.includes(name));
  if (unknown === undefined) return refused(refuse, [], `must have exactly one of ${actions.join(', ')}`);
  const nearest = nearestName(unknown, actions);
  const hint = nearest === null ? '' : `: did you mean ${nearest}?`;
  return refused(refuse, [unknown], `is not one of ${actions.join(', ')}${hint}`);
}

/** Whether a string is a path on the site of the starting URL: `//host` and `/\\host` lead to another site. */
function isPath(text: string): boolean {
  const base = 'https://site.invalid';
  return text.startsWith('/') && text.length <= startingUrlMaxCharacters && URL.parse(text, base)?.origin === base;
}

function refused(refuse: Refuse, path: readonly string[], message: Phrase): null {
  refuse(path, message);
  return null;
}

const KEY =
  /^(?:(?:Control|Shift|Alt|Meta)\+){0,3}(?:[\x21-\x7e]|Enter|Tab|Escape|Backspace|Delete|Space|Arrow(?:Up|Down|Left|Right)|Home|End|Page(?:Up|Down)|F(?:[1-9]|1\d|2[0-4]))$/;

/** Returns what is wrong with the text of an action; null if it is valid. */
function problemOf(action: Exclude<LoginAction, 'wait_for' | 'expect'>, text: string): string | null {
  switch (action) {
    case 'open': {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol)) return 'must begin with http:// or https://';
      if (text.length > startingUrlMaxCharacters) return `must have at most ${startingUrlMaxCharacters} characters`;
      return url.username + url.password === '' ? null : 'must not contain credentials';
    }
    case 'press':
      return KEY.test(text) ? null : 'must be a key, such as Enter, Tab or Control+A';
    default:
      return selectorFault(text);
  }
}

function selectorFault(text: string): string | null {
  if (text.trim() === '') return 'needs a CSS selector';
  if (text.length > selectorMaxCharacters) return `must have at most ${selectorMaxCharacters} characters`;
  const problem = selectorProblem(text);
  return problem === null ? null : `is not a CSS selector: ${problem}`;
}

function readFill(fill: string, given: JsonObject, refuse: Refuse, keep: StoredSecrets): LoginStep | null {
  const sources = PARTS.fill.filter((name) => Object.hasOwn(given, name));
  if (sources.length !== 1) return refused(refuse, ['fill'], `needs exactly one of ${PARTS.fill.join(', ')}`);
  const name = LOGIN_SECRETS.find((secret) => sources.includes(secret));
  if (name === undefined) return readValue(given, refuse, (value) => ({ fill, value }));
  const secret = given[name] === true ? keep(name, fill) : given[name];
  if (secret === undefined) {
    return refused(
      refuse,
      [name],
      'must be entered again: none is stored for this field, or the login opens another site',
    );
  }
  if (typeof secret !== 'string' || secret === '') return refused(refuse, [name], "can't be blank");
  if (secret.length > credentialMaxCharacters) {
    return refused(refuse, [name], `must have at most ${credentialMaxCharacters} characters`);
  }
  if (name === 'secret') return { fill, secret };
  return parseTotpKey(secret) === null
    ? refused(refuse, [name], 'must be a key in base32, or a URL that begins with otpauth://totp/')
    : { fill, totp: secret };
}

function readValue(given: JsonObject, refuse: Refuse, stepWith: (value: string) => LoginStep): LoginStep | null {
  const { value } = given;
  if (typeof value !== 'string') return refused(refuse, ['value'], "can't be blank");
  if (value.length > credentialMaxCharacters) {
    return refused(refuse, ['value'], `must have at most ${credentialMaxCharacters} characters`);
  }
  return stepWith(value);
}

const TEST_PARTS = ['url', 'selector', 'text'] as const;

/** Reads what must be true of a page. */
function readTest(given: JsonObject, refuse: Refuse): PageTest {
  const test: Partial<Record<(typeof TEST_PARTS)[number], string>> = {};
  for (const [name, value] of Object.entries(given)) {
    const part = TEST_PARTS.find((known) => known === name);
    if (part === undefined) refuse([name], `is not one of ${TEST_PARTS.join(', ')}`);
    else if (typeof value !== 'string' || value.trim() === '') refuse([name], "can't be blank");
    else {
      const isTooLong = value.length > loginTextMaxCharacters;
      const problem = isTooLong ? `must have at most ${loginTextMaxCharacters} characters` : null;
      const fault = part === 'selector' ? selectorFault(value) : problem;
      if (fault === null) test[part] = value.trim();
      else refuse([name], fault);
    }
  }
  if (Object.keys(given).length === 0) refuse([], 'needs url, selector or text');
  return test;
}
