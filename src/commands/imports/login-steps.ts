import { isSelector } from '../../page-source/select-elements.ts';
import { selectorMaxCharacters } from '../../reports/definition/limits.ts';

/** A step of a login in a configuration file. */
export type FileStep = Readonly<Record<string, unknown>>;

/** Fields whose values do not belong in a file. */
const SECRET_FIELD = /pass|pwd|secret|token|pin\b|kennwort/i;
const CODE_FIELD = /otp|totp|mfa|2fa|one-?time|verification/i;

/** Returns the step that fills a field. Values of fields that look secret are replaced by names of environment variables. */
export function fillStep(selector: string, value: string, label = ''): FileStep {
  const words = `${selector} ${label}`;
  if (CODE_FIELD.test(words)) return { fill: selector, totp_env: 'LOGIN_TOTP_KEY' };
  if (SECRET_FIELD.test(words)) return { fill: selector, secret_env: 'LOGIN_PASSWORD' };
  return { fill: selector, value };
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
