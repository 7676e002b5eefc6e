import type { Item } from '../../api/client.ts';

type Login = NonNullable<Item<'site'>['login']>;
type Step = Login['steps'][number];

export const ACTIONS = ['open', 'fill', 'click', 'press', 'select', 'wait_for', 'expect'] as const;
export type Action = (typeof ACTIONS)[number];
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
  /** The URL, the selector or the key. */
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

export function rowsOf(login: Login | null): readonly Row[] {
  if (login !== null) return login.steps.map(rowOf);
  // The second field is the password.
  return [newRow('open'), newRow(), { ...newRow(), source: 'secret' }, newRow('click')];
}

function rowOf(step: Step): Row {
  const action = ACTIONS.find((name) => step[name] !== undefined) ?? 'open';
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
  return { steps: rows.map(stepOf), signed_in: Object.keys(test).length === 0 ? null : test };
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
