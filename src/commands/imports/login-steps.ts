import { isSelector } from '../../page-source/select-elements.ts';
import { selectorMaxCharacters } from '../../reports/definition/limits.ts';

/** A step of a login in a configuration file. */
export type FileStep = Readonly<Record<string, unknown>>;

/** Fields for names of users. What was entered in all others may be secret: passwords have names in each language, or none. */
const NAME_FIELD =
  /user|e-?mail|login|account|identifier|benutzer|usuario|utilisateur|gebruiker|(?:^|[^a-z])name(?:[^a-z]|$)/i;
const SECRET_FIELD = /pass|pwd|secret|token|pin\b|kennwort/i;
const CODE_FIELD = /(?:^|[^a-z])(?:otp|totp|mfa|2fa)(?:[^a-z]|$)|one-?time|verification/i;
/** What a name of a user looks like: one word, or an email address. */
const NAME = /^[\w.+-]{1,64}(?:@[\w.-]{1,255})?$/;

/**
 * Returns the step that fills a field. Only the names of users are imported; other values are replaced by environment variables.
 * @param number of the step, which makes the name of its variable
 */
export function fillStep(selector: string, value: string, number: number, label = ''): FileStep {
  const words = `${selector} ${label}`;
  if (CODE_FIELD.test(words)) return { fill: selector, totp_env: 'LOGIN_TOTP_KEY' };
  if (SECRET_FIELD.test(words)) return { fill: selector, secret_env: 'LOGIN_PASSWORD' };
  if (value === '' || (NAME_FIELD.test(words) && NAME.test(value))) return { fill: selector, value };
  return { fill: selector, secret_env: `LOGIN_FIELD_${number}` };
}

/** Whether a configuration file accepts a selector. */
export function isUsable(selector: string): boolean {
  return selector.length <= selectorMaxCharacters && isSelector(selector);
}

/** Returns the setting for steps, with a remark on the variables that they name. */
export function loginSetting(steps: readonly FileStep[], name: string) {
  const opens = steps.some((step) => 'fill' in step || 'click' in step);
  if (!opens) return { settings: {}, remarks: [] };
  const variables = [...new Set(steps.flatMap((step) => [step['secret_env'], step['totp_env']]))];
  const named = variables.filter((variable) => typeof variable === 'string').join(' and ');
  return {
    settings: { login: { steps } },
    remarks: [
      `The steps of ${name} are imported as login: a browser performs them once, before the crawl. Delete steps that do not sign in.`,
      ...(named === '' ? [] : [`Secrets are not imported: set the environment variables ${named}.`]),
    ],
  };
}
