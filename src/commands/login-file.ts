import Type from 'typebox';
import { LOGIN_SECRETS } from '../domain/login.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
import { LOGIN, LOGIN_STEP } from '../reports/definition/login-attributes.ts';
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
 * Replaces the names of environment variables, `secret_env` and `totp_env`, by their values: secrets need not be in files.
 * @returns `problem` if a variable is not set, worded without a full stop
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

const VARIABLE = (description: string) =>
  Type.Optional(
    Type.String({
      description: `For \`fill\`: the environment variable with ${description}.`,
      examples: ['SHOP_PASSWORD'],
    }),
  );
const { secret: _secret, totp: _totp, ...PLAIN_PARTS } = LOGIN_STEP.properties;

/** The login of a site in a configuration file, which names environment variables in place of secrets. */
export const CONFIGURED_LOGIN = Type.Optional(
  Type.Object(
    {
      ...LOGIN.properties,
      steps: Type.Array(
        Type.Object(
          {
            ...PLAIN_PARTS,
            secret_env: VARIABLE('a secret text'),
            totp_env: VARIABLE('the key of one-time passwords'),
          },
          { additionalProperties: false },
        ),
        { description: 'What a browser does to sign in. The first step opens a URL.' },
      ),
    },
    { additionalProperties: false, description: 'How to sign in with the login form of the site.' },
  ),
);

/** What is wrong with a file that contains secrets. */
export const SECRET_IN_FILE =
  'login must not contain secrets, because others can read the file: name environment variables with secret_env and totp_env.';

/** Stand for secrets while a file is validated. */
const ANY_SECRET = { secret_env: 'any', totp_env: 'GEZDGNBVGY3TQOJQ' } as const;

/**
 * Returns the login of a configuration file as requests have it, with other secrets, to be validated.
 * @returns null if it contains a secret, which others could read
 */
export function validatedLogin(login: unknown): unknown {
  if (!isObject(login) || !Array.isArray(login['steps'])) return login;
  const steps: readonly unknown[] = login['steps'];
  if (steps.some((step) => isObject(step) && LOGIN_SECRETS.some((name) => Object.hasOwn(step, name)))) return null;
  return { ...login, steps: steps.map((step) => (isObject(step) ? withAnySecret(step) : step)) };
}

function withAnySecret(step: JsonObject): JsonObject {
  const name = LOGIN_SECRETS.find((secret) => typeof step[`${secret}_env`] === 'string');
  if (name === undefined) return step;
  const { [`${name}_env`]: _, ...rest } = step;
  return { ...rest, [name]: ANY_SECRET[`${name}_env`] };
}
