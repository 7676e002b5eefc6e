import {
  type FileStep,
  type IsUsable,
  nameOfActions,
  type RecordedSteps,
  stepsOfActions,
  stepsOfRecording,
  withPaths,
} from 'sitewarden-client/recorded-steps';
import type { Item } from '../../api/client.ts';

type Login = NonNullable<Item<'site'>['login']>;
export type Journey = Item<'site'>['journeys'][number];
type Step = Journey['steps'][number];

/** What the steps of a login do. */
export const LOGIN_ACTIONS = ['open', 'fill', 'click', 'press', 'select', 'wait_for', 'expect'] as const;
/** What the steps of a journey do: they have marks, too. */
export const JOURNEY_ACTIONS = [...LOGIN_ACTIONS, 'check'] as const;
export type Action = (typeof JOURNEY_ACTIONS)[number];
/** Where the text for a field comes from. */
export const SOURCES = ['value', 'secret', 'totp'] as const;
export type Source = (typeof SOURCES)[number];

/** What must be true of a page. Empty texts do not matter. */
export interface Test {
  readonly url: string;
  readonly selector: string;
  readonly text: string;
}
export const NO_TEST: Test = { url: '', selector: '', text: '' };

/** A step as the form edits it: every part exists, even if its action does not use it. */
export interface Row {
  readonly id: number;
  readonly action: Action;
  /** The URL, the selector, the key, or the name of the mark. */
  readonly target: string;
  readonly source: Source;
  readonly value: string;
  readonly test: Test;
  /** Whether a secret is stored for it. */
  readonly isStored: boolean;
}

let ids = 0;

export function newRow(action: Action = 'fill'): Row {
  ids += 1;
  return { id: ids, action, target: '', source: 'value', value: '', test: NO_TEST, isStored: false };
}

/** Returns the rows of a login; without one, the rows that most logins have. */
export function rowsOfLogin(login: Login | null): readonly Row[] {
  if (login !== null) return rowsOf(login.steps);
  // The second field is the password.
  return [newRow('open'), newRow(), { ...newRow(), source: 'secret' }, newRow('click')];
}

export function rowsOf(steps: readonly Step[]): readonly Row[] {
  return steps.map(rowOf);
}

function rowOf(step: Step): Row {
  const action = JOURNEY_ACTIONS.find((name) => step[name] !== undefined) ?? 'open';
  const source = SOURCES.find((name) => step[name] !== undefined) ?? 'value';
  const target = step[action];
  const value = step[source];
  return {
    ...newRow(action),
    ...(typeof target === 'string' ? { target } : { test: testOf(target ?? null) }),
    source,
    value: typeof value === 'string' ? value : '',
    isStored: value === true,
  };
}

export function testOf(test: Partial<Test> | null | undefined): Test {
  return { ...NO_TEST, ...test };
}

/** Returns the login that the API takes. True stands for a stored secret. */
export function loginOf(rows: readonly Row[], signedIn: Test) {
  const test = partsOf(signedIn);
  return { steps: stepsOf(rows), signed_in: Object.keys(test).length === 0 ? null : test };
}

/** Returns the steps that the API takes. */
export function stepsOf(rows: readonly Row[]): readonly object[] {
  return rows.map(stepOf);
}

function stepOf({ action, target, source, value, test, isStored }: Row): object {
  if (action === 'wait_for' || action === 'expect') return { [action]: partsOf(test) };
  const step = { [action]: target.trim() };
  if (action === 'select') return { ...step, value };
  return action === 'fill' ? { ...step, [source]: isStored && value === '' ? true : value } : step;
}

function partsOf(test: Test): object {
  return Object.fromEntries(Object.entries(test).filter(([, text]) => text.trim() !== ''));
}

/** One list of steps in a file of another tool. */
export interface ImportedRows {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly others: RecordedSteps['others'];
}

/**
 * Reads a recording of Chrome's Recorder, or each list of actions in a configuration of pa11y. Its actions for all pages come
 * first, because they usually sign in.
 * @param origin URLs of this origin become paths, so that the steps also work for a preview; undefined for none
 * @returns nothing if the file is neither
 */
export function importedRows(
  text: string,
  fileName: string,
  { isUsable, origin }: { readonly isUsable: IsUsable; readonly origin: string | undefined },
): readonly ImportedRows[] {
  const rowsFrom = ({ steps, others }: RecordedSteps, listTitle: string): ImportedRows => {
    const own = origin === undefined ? steps : withPaths(steps, origin);
    return { title: listTitle, rows: own.map(rowOfFile), others };
  };
  const file = jsonIn(text);
  if (!isObject(file)) return [];
  const title = typeof file['title'] === 'string' ? file['title'] : fileName.replace(/\.[^.]*$/, '');
  if (Array.isArray(file['steps'])) return [rowsFrom(stepsOfRecording(file['steps'], isUsable), title)];
  const pages: readonly unknown[] = Array.isArray(file['urls']) ? file['urls'] : [];
  const [first] = pages.map((page) => (isObject(page) ? page : { url: page }));
  const all = isObject(file['defaults']) ? { url: first?.url, ...file['defaults'] } : {};
  return [all, ...pages].flatMap((page) => {
    if (!isObject(page) || typeof page['url'] !== 'string' || !Array.isArray(page['actions'])) return [];
    const { url, actions } = page;
    const name = page === all || !URL.canParse(url) ? title : nameOfActions(url);
    return [rowsFrom(stepsOfActions(actions.map(String), url, isUsable), name)];
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Secrets are not imported: users enter them in these rows. */
function rowOfFile({ secret_env: secret, totp_env: totp, ...step }: FileStep): Row {
  const source = secret !== undefined ? 'secret' : totp !== undefined ? 'totp' : 'value';
  // Other steps have the same parts as in the API.
  return { ...rowOf(step as Step), source };
}
