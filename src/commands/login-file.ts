import Type from 'typebox';
import { LOGIN_SECRETS } from '../domain/login.ts';
import { CHECK_STEP, JOURNEY, LOGIN_STEP } from '../domain/step-schema.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
import { LOGIN } from '../reports/definition/login-attributes.ts';
import { readText } from './configuration-file/read-text.ts';
import { readYaml } from './configuration-file/read-yaml.ts';
import { usage } from './configuration-file/usage.ts';

/** Returns an environment variable; undefined if it is not set. */
export type Variable = (name: string) => string | undefined;

/**
 * Reads the login of `check --login`, a file in YAML or JSON.
 * @throws AppError invalid_usage
 */
export async function readLoginFile(path: string, variable: Variable): Promise<JsonObject> {
  const title = `The login ${path}`;
  const read = readYaml(await readText(path, title));
  if ('problems' in read) {
    const [first] = read.problems;
    throw usage(`${title} is not valid: line ${first?.line}: ${first?.text.replace(/\.$/, '')}`);
  }
  if (!isObject(read.value)) throw usage(`${title} has no steps`);
  const { login, problem } = withSecrets(read.value, variable);
  if (problem !== null) throw usage(`${title}: ${problem}`);
  return login;
}

/**
 * Replaces the names of environment variables, `secret_env` and `totp_env`, with their values: secrets need not be in files.
 * @returns `problem` if a variable is not set, worded without a final period
 */
export function withSecrets(
  login: JsonObject,
  variable: Variable,
): { readonly login: JsonObject; readonly problem: string | null } {
  let problem: string | null = null;
  const steps: readonly unknown[] = Array.isArray(login['steps']) ? login['steps'] : [];
  const filled = steps.map((step, index) => {
    if (!isObject(step)) return step;
    const name = LOGIN_SECRETS.find((secret) => Object.hasOwn(step, `${secret}_env`));
    if (name === undefined) return step;
    const { [`${name}_env`]: from, ...rest } = step;
    const value = typeof from === 'string' ? variable(from) : undefined;
    if (value === undefined || value === '')
      problem ??= `step ${index + 1}: the environment variable ${String(from)} is not set`;
    return { ...rest, [name]: value };
  });
  return { login: Array.isArray(login['steps']) ? { ...login, steps: filled } : login, problem };
}

/**
 * The same for the settings of a file: its login and its journeys.
 * @returns `problem` begins with the name of the setting
 */
export function settingsWithSecrets(
  settings: JsonObject,
  variable: Variable,
): { readonly settings: JsonObject; readonly problem: { readonly key: string; readonly text: string } | null } {
  let problem: { readonly key: string; readonly text: string } | null = null;
  const fill = (key: string, given: unknown): unknown => {
    if (!isObject(given)) return given;
    const filled = withSecrets(given, variable);
    if (filled.problem !== null) problem ??= { key, text: filled.problem };
    return filled.login;
  };
  const { login, journeys } = settings;
  const filled = {
    ...(isObject(login) && { login: fill('login', login) }),
    ...(Array.isArray(journeys) && { journeys: journeys.map((journey: unknown) => fill('journeys', journey)) }),
  };
  return { settings: { ...settings, ...filled }, problem };
}

const VARIABLE = (description: string) =>
  Type.Optional(
    Type.String({
      description: `For \`fill\`: the environment variable with ${description}.`,
      examples: ['SHOP_PASSWORD'],
    }),
  );
const { secret: _secret, totp: _totp, ...PLAIN_PARTS } = LOGIN_STEP.properties;

const VARIABLES = {
  secret_env: VARIABLE('the secret'),
  totp_env: VARIABLE('the key for one-time passwords'),
};

/** The login of a site in a configuration file, which names environment variables in place of secrets. */
export const CONFIGURED_LOGIN = Type.Optional(
  Type.Object(
    {
      ...LOGIN.properties,
      steps: Type.Array(Type.Object({ ...PLAIN_PARTS, ...VARIABLES }, { additionalProperties: false }), {
        description: 'What a browser does to sign in. The first step opens a URL.',
      }),
    },
    { additionalProperties: false, description: 'How to sign in with the login form of the site.' },
  ),
);

/** Journeys in a configuration file. */
export const CONFIGURED_JOURNEYS = Type.Optional(
  Type.Array(
    Type.Object(
      {
        ...JOURNEY.properties,
        steps: Type.Array(
          Type.Object({ ...PLAIN_PARTS, check: CHECK_STEP, ...VARIABLES }, { additionalProperties: false }),
          { description: 'The first one opens a URL, or a path on the site such as `/shop`.' },
        ),
      },
      { additionalProperties: false },
    ),
    { description: 'Named lists of steps through the site. Each `check` is a page of the report.' },
  ),
);

/** What is wrong with a file that contains secrets. @param key the setting with the secret */
export function secretInFile(key: string): string {
  return `${key} must not contain secrets, because others can read the file: name environment variables with secret_env and totp_env.`;
}

/** Stand for secrets while a file is validated. */
const ANY_SECRET = { secret_env: 'any', totp_env: 'GEZDGNBVGY3TQOJQ' } as const;

/**
 * Returns the settings of a configuration file as requests have them, with placeholders for secrets, to be validated.
 * @param onSecret receives the names of settings that contain secrets, since others could read the file; these settings are left
 * out
 */
export function validatedSettings(settings: JsonObject, onSecret: (key: string) => void): JsonObject {
  const { login, journeys, ...rest } = settings;
  const others: Record<string, unknown> = rest;
  const list: readonly unknown[] | null = Array.isArray(journeys) ? journeys : null;
  if (hasSecret(login)) onSecret('login');
  else if (login !== undefined) others['login'] = withAnySecrets(login);
  if (list?.some(hasSecret)) onSecret('journeys');
  else if (journeys !== undefined) others['journeys'] = list?.map(withAnySecrets) ?? journeys;
  return others;
}

function hasSecret(given: unknown): boolean {
  const steps = stepsOf(given);
  return steps.some((step) => isObject(step) && LOGIN_SECRETS.some((name) => Object.hasOwn(step, name)));
}

function withAnySecrets(given: unknown): unknown {
  if (!isObject(given) || !Array.isArray(given['steps'])) return given;
  return { ...given, steps: stepsOf(given).map((step) => (isObject(step) ? withAnySecret(step) : step)) };
}

function stepsOf(given: unknown): readonly unknown[] {
  return isObject(given) && Array.isArray(given['steps']) ? given['steps'] : [];
}

function withAnySecret(step: JsonObject): JsonObject {
  const name = LOGIN_SECRETS.find((secret) => typeof step[`${secret}_env`] === 'string');
  if (name === undefined) return step;
  const { [`${name}_env`]: _, ...rest } = step;
  return { ...rest, [name]: ANY_SECRET[`${name}_env`] };
}
