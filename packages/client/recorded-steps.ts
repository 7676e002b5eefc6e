import { journeyNameMaxCharacters } from './marks.ts';

/** Translates recordings and actions of other tools to the steps of a login or a journey. */

/** A step as configuration files have it: environment variables stand for secrets. */
export type FileStep = Readonly<Record<string, unknown>>;

export interface RecordedSteps {
  readonly steps: readonly FileStep[];
  readonly others: readonly OtherStep[];
}

/** A step that has no equivalent. */
export interface OtherStep {
  /** From 1. */
  readonly number: number;
  /** Contains nothing that was entered. */
  readonly what: string;
  /** The action that replaces it; null if it is left out. */
  readonly instead: 'click' | null;
}

/** Whether the service accepts a selector. */
export type IsUsable = (selector: string) => boolean;

/** Fields for names of users. What was entered in all others may be secret: passwords have names in each language, or none. */
const NAME_FIELD = /user|e-?mail|identifier|benutzer|usuario|utilisateur|gebruiker|(?:^|[^a-z])name(?:[^a-z]|$)/i;
const SECRET_FIELD =
  /pass|pwd|secret|token|pin\b|kennwort|contrase|senha|wachtwoord|hasło|haslo|heslo|lösenord|losenord|salasana|jelszó|jelszo|şifre|sifre|parol[aă]|adgangskode|пароль|密码|密碼|パスワード|비밀번호/i;
const SEARCH_FIELD = /(?:^|[^a-z])search|Search|(?:#|=["']?)[Qq](?:uery)?(?![\w-])/;
const CODE_FIELD = /(?:^|[^a-z])(?:otp|totp|mfa|2fa)(?:[^a-z]|$)|one-?time|verification/i;
/** What a name of a user looks like: one word, or an email address. */
const NAME = /^[\w.+-]{1,64}(?:@[\w.-]{1,255})?$/;
const EMAIL_ADDRESS = /^[\w.+-]{1,64}@[\w.-]{1,255}$/;

/** The environment variable for passwords. */
const PASSWORD = 'LOGIN_PASSWORD';

/** Returns what a selector says of the element itself, not of the elements around it, such as a form called `login`. */
function ownWords(selector: string): string {
  if (selector.startsWith('aria/')) return selector;
  return (selector.split(/[\s>+~/]+/).at(-1) ?? '').replace(/@?name\s*[~|^$*]?=/g, '=');
}

/**
 * Returns the step that fills a field. Only names of users and search terms are taken; environment variables replace
 * other values.
 * @param selectors all that the recording has for the field
 */
function fillStep(
  selector: string,
  value: string,
  number: number,
  selectors: readonly string[] = [selector],
): FileStep {
  const words = [selector, ...selectors].join(' ');
  if (CODE_FIELD.test(words)) return { fill: selector, totp_env: 'LOGIN_TOTP_KEY' };
  if (SECRET_FIELD.test(words)) return { fill: selector, secret_env: PASSWORD };
  const own = selectors.map(ownWords).join(' ');
  const isName = EMAIL_ADDRESS.test(value) || (NAME.test(value) && NAME_FIELD.test(own));
  if (value === '' || isName || SEARCH_FIELD.test(own)) return { fill: selector, value };
  return { fill: selector, secret_env: `LOGIN_FIELD_${number}` };
}

/** Whether steps seem to sign in: they enter a password or a one-time password. Other values that may be secret are no sign. */
export function signsIn(steps: readonly FileStep[]): boolean {
  return steps.some((step) => step['secret_env'] === PASSWORD || 'totp_env' in step);
}

/** Steps that need no equivalent: sizes of windows, and keys that enter text, which `change` steps contain. */
const WITHOUT_EFFECT = ['setViewport', 'keyUp', 'scroll', 'emulateNetworkConditions', 'close'];
/** Keys that do more than enter text. */
const KEYS = ['Enter', 'Tab', 'Escape'];

type Recorded = Readonly<Record<string, unknown>>;

/** Returns the steps of a recording of Chrome's Recorder. @param recorded its `steps` */
export function stepsOfRecording(recorded: readonly unknown[], isUsable: IsUsable): RecordedSteps {
  const others: OtherStep[] = [];
  const steps = recorded.flatMap((step, index) => {
    if (!isObject(step) || WITHOUT_EFFECT.includes(String(step['type']))) return [];
    const number = index + 1;
    const what = String(step['type']);
    const read = recordedStep(step, number, isUsable);
    if (read === null) others.push({ number, what, instead: null });
    else if (what === 'doubleClick') others.push({ number, what, instead: 'click' });
    return read ?? [];
  });
  return { steps, others };
}

function isObject(value: unknown): value is Recorded {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns no steps for a key that only enters text, and null for a step without an equivalent */
function recordedStep(step: Recorded, number: number, isUsable: IsUsable): readonly FileStep[] | null {
  const { type, url, key, value } = step;
  if (type === 'navigate') return typeof url === 'string' && /^https?:/.test(url) ? [{ open: url }] : null;
  if (type === 'keyDown') return KEYS.includes(String(key)) ? [{ press: key }] : [];
  const selectors = selectorsOf(step);
  const named = selectors.filter((one) => !one.startsWith('aria/'));
  const selector = named.map((one) => one.replace(/^pierce\//, '')).find(isUsable);
  if (selector === undefined) return null;
  switch (type) {
    case 'click':
    case 'doubleClick':
      return [{ click: selector }];
    case 'change':
      if (/(?:^|[\s>])select(?:[#.[:]|$)/i.test(selector)) return [{ select: selector, value }];
      return [fillStep(selector, String(value ?? ''), number, selectors)];
    case 'waitForElement':
      return [{ wait_for: { selector } }];
    default:
      return null;
  }
}

/** Returns the selectors of a step that name one element, without those through frames and shadow roots. */
function selectorsOf({ selectors }: Recorded): readonly string[] {
  const list: readonly unknown[] = Array.isArray(selectors) ? selectors : [];
  return list.flatMap((selector) => {
    const parts: readonly unknown[] = [selector].flat();
    return parts.length === 1 && typeof parts[0] === 'string' && !/^(?:xpath|text)\//.test(parts[0]) ? [parts[0]] : [];
  });
}

/** Returns the name for a journey with pa11y's actions: the path of the page that they begin with. */
export function nameOfActions(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Returns steps with the URLs of an origin as paths, so that they also work for another origin, such as a preview. */
export function withPaths(steps: readonly FileStep[], origin: string): readonly FileStep[] {
  return steps.flatMap((step): readonly FileStep[] => {
    const { open, wait_for: awaited } = step;
    if (typeof open === 'string') return [{ open: pathIn(open, origin) }];
    if (!isObject(awaited) || typeof awaited['url'] !== 'string') return [step];
    // Its host is awaited where it has been opened.
    if (awaited['url'] === new URL(origin).host) return [];
    return [{ wait_for: { url: pathIn(awaited['url'], origin) } }];
  });
}

/** Returns the path of a URL of an origin; other texts as they are. */
function pathIn(url: string, origin: string): string {
  const { href, pathname, search, hash } = URL.parse(url) ?? {};
  const path = `${pathname}${search}${hash}`;
  // The path `//example.org` is another origin.
  return href !== undefined && URL.parse(path, origin)?.href === href ? path : url;
}

/** Returns a name for an imported journey that no other journey has. */
export function freeJourneyName(name: string, taken: ReadonlySet<string>): string {
  const wanted =
    name
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, journeyNameMaxCharacters - 4) || 'Journey';
  let free = wanted;
  for (let number = 2; taken.has(free); number += 1) free = `${wanted} ${number}`;
  return free;
}

/** Returns the steps of pa11y's actions. @param url of the page that they begin with */
export function stepsOfActions(actions: readonly string[], url: string, isUsable: IsUsable): RecordedSteps {
  const others: OtherStep[] = [];
  const steps = actions.flatMap((action, index) => {
    const step = stepOfAction(action.trim(), index + 1, isUsable);
    if (step === null) others.push({ number: index + 1, what: hidden(action), instead: null });
    return step === null ? [] : [step];
  });
  return { steps: [{ open: url }, ...steps], others };
}

/** Removes the value of a field, which may be secret. */
function hidden(action: string): string {
  return /^\s*set\b/i.test(action) ? 'set field' : action;
}

function stepOfAction(action: string, number: number, isUsable: IsUsable): FileStep | null {
  const [verb = '', ...rest] = action.split(' ');
  const words = rest.join(' ');
  const onElement: OnElement = (text, start, step) => {
    const selector = text.slice(start.length).trim();
    return text.toLowerCase().startsWith(start) && isUsable(selector) ? step(selector) : null;
  };
  switch (verb.toLowerCase()) {
    case 'navigate':
      return /^to https?:/i.test(words) ? { open: words.slice('to '.length) } : null;
    case 'click':
      return onElement(words, 'element ', (selector) => ({ click: selector }));
    case 'check':
      return onElement(words, 'field ', (selector) => ({ click: selector }));
    case 'clear':
      return onElement(words, 'field ', (selector) => ({ fill: selector, value: '' }));
    case 'set': {
      const at = words.indexOf(' to ');
      const value = words.slice(at + ' to '.length);
      if (at === -1) return null;
      return onElement(words.slice(0, at), 'field ', (selector) => fillStep(selector, value, number));
    }
    case 'wait':
      return waitOf(words, onElement);
    default:
      return null;
  }
}

type OnElement = (text: string, start: string, step: (selector: string) => FileStep) => FileStep | null;

/** `for path to be /home`, `for element #menu to be visible`. */
function waitOf(words: string, onElement: OnElement): FileStep | null {
  for (const what of ['path', 'url', 'host', 'fragment']) {
    const start = `for ${what} to be `;
    if (words.toLowerCase().startsWith(start)) return { wait_for: { url: words.slice(start.length) } };
  }
  const [, state] = / to be (visible|added)$/i.exec(words) ?? [];
  if (state === undefined) return null;
  return onElement(words.slice(0, -` to be ${state}`.length), 'for element ', (selector) => ({
    wait_for: { selector },
  }));
}
