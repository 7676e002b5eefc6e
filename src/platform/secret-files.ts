import { readFileSync } from 'node:fs';
import { messageOf } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Characters of a secret in a file: far more than keys, URLs and tokens have. */
const secretMaxCharacters = 65_536;

/**
 * Reads secret settings from the files that `NAME_FILE` names, as Docker and Kubernetes mount them, without a trailing line
 * break.
 * @param secrets the names of settings that may be read from files
 * @param known the names of all settings
 * @param problems receives variables that name no setting, an unreadable file, or a setting that is also set directly
 * @returns the environment with these settings in place of the names of their files
 */
export function readSecretFiles(
  environment: Environment,
  { secrets, known }: { readonly secrets: readonly string[]; readonly known: readonly string[] },
  problems: string[],
): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  for (const [name, path] of Object.entries(environment)) {
    const setting = name.replace(/_FILE$/, '');
    if (
      setting === name ||
      path === undefined ||
      path === '' ||
      !(known.includes(setting) || name.startsWith('SITEWARDEN_'))
    )
      continue;
    delete read[name];
    if (!secrets.includes(setting)) {
      problems.push(`${name} is not a setting: only ${secrets.join(', ')} can be read from a file`);
    } else if (environment[setting]) {
      problems.push(`${name} and ${setting} are both set; remove one of them`);
    } else {
      try {
        read[setting] = contentOf(path);
      } catch (error) {
        problems.push(`${name}: ${messageOf(error)}`);
      }
    }
  }
  return read;
}

function contentOf(path: string): string {
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error(`${path} is empty`);
  if (text.length > secretMaxCharacters) throw new Error(`${path} has more than ${secretMaxCharacters} characters`);
  return text;
}
