/** What must be true of a page. All parts that are given must hold. */
export interface PageTest {
  /** Part of its URL. */
  readonly url?: string;
  /** CSS selector of a visible element. */
  readonly selector?: string;
  /** Part of its visible text. */
  readonly text?: string;
}

/** One step of a login, as the API names it. `secret` and `totp` are secret. */
export type LoginStep =
  | { readonly open: string }
  | { readonly fill: string; readonly value: string }
  | { readonly fill: string; readonly secret: string }
  | { readonly fill: string; readonly totp: string }
  | { readonly click: string }
  | { readonly press: string }
  | { readonly select: string; readonly value: string }
  | { readonly wait_for: PageTest }
  | { readonly expect: PageTest };

/** How to sign in to a site with its login form. */
export interface Login {
  readonly steps: readonly LoginStep[];
  /** What shows that the session has not ended; null to look for login pages instead. */
  readonly signed_in: PageTest | null;
}

/** The actions of steps. */
export const LOGIN_ACTIONS = ['open', 'fill', 'click', 'press', 'select', 'wait_for', 'expect'] as const;
export type LoginAction = (typeof LOGIN_ACTIONS)[number];

/** Secret parts of a step that fills a field. */
export const LOGIN_SECRETS = ['secret', 'totp'] as const;

export function actionOf(step: LoginStep): LoginAction {
  const action = LOGIN_ACTIONS.find((name) => Object.hasOwn(step, name));
  if (action === undefined) throw new Error('A step of a login has no action.');
  return action;
}

/** Returns the secrets of a login. */
export function secretsOfLogin({ steps }: Pick<Login, 'steps'>): string[] {
  return steps.flatMap((step) => ('secret' in step ? [step.secret] : 'totp' in step ? [step.totp] : []));
}

/** Returns a login as it is shown: true stands for each secret. */
export function shownLogin({ steps, signed_in }: Login) {
  return { steps: steps.map(stepAsShown), signed_in };
}

export function stepAsShown(step: LoginStep) {
  if ('secret' in step) return { ...step, secret: true as const };
  return 'totp' in step ? { ...step, totp: true as const } : step;
}

/** Returns the stored secret of a step; undefined if there is none to keep. */
export type StoredSecrets = (name: (typeof LOGIN_SECRETS)[number], selector: string) => string | undefined;

/**
 * Returns stored secrets in the order of their steps. They are kept for the same field only, and only if the steps open no other
 * origins than before: users who may change a login must not be able to have its password sent elsewhere.
 * @param stored null if none are stored
 * @param steps as they are given
 */
export function storedSecrets(stored: readonly LoginStep[] | null, steps: readonly unknown[]): StoredSecrets {
  const known = new Set((stored ?? []).flatMap((step) => ('open' in step ? [originOf(step.open)] : [])));
  const opened = steps.flatMap((step) =>
    typeof step === 'object' && step !== null && 'open' in step && typeof step.open === 'string'
      ? [originOf(step.open)]
      : [],
  );
  if (stored === null || opened.some((origin) => !known.has(origin))) return () => undefined;
  const left = [...stored];
  return (name, selector) => {
    const at = left.findIndex((step) => 'fill' in step && step.fill === selector && name in step);
    const [step] = at === -1 ? [] : left.splice(at, 1);
    if (step === undefined) return undefined;
    return 'secret' in step ? step.secret : 'totp' in step ? step.totp : undefined;
  };
}

/** Paths are relative to the starting URL, so they have the same origin. */
function originOf(url: string): string {
  return url.startsWith('/') ? '' : (URL.parse(url)?.origin ?? url);
}
