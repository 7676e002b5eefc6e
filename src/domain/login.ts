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
export function secretsOfLogin({ steps }: Login): string[] {
  return steps.flatMap((step) => ('secret' in step ? [step.secret] : 'totp' in step ? [step.totp] : []));
}

/** Returns a login as it is shown: true stands for each secret. */
export function shownLogin({ steps, signed_in }: Login) {
  const shown = steps.map((step) => {
    if ('secret' in step) return { ...step, secret: true as const };
    return 'totp' in step ? { ...step, totp: true as const } : step;
  });
  return { steps: shown, signed_in };
}
