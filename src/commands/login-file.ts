import { LOGIN_SECRETS } from '../domain/login.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
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
