import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { AppError, messageOf } from '../platform/errors.ts';
import { collect } from './option-values.ts';

const FROM_FILE = '@FILE reads from a file, @- from standard input';

/** The options for access to the site, by the attributes of the report that they set. */
export const SITE_ACCESS_OPTIONS = {
  basic_auth: new Option('--basic-auth <user:password>', `HTTP Basic credentials for the site; ${FROM_FILE}`),
  headers: repeatable('--header <name: value>', `header to send to the site; repeatable; ${FROM_FILE}`),
  cookies: repeatable('--cookie <name=value>', `cookie to send to the site; repeatable; ${FROM_FILE}`),
  login: new Option('--login <file>', 'file with the steps that sign in to the site, in YAML or JSON'),
};

function repeatable(flags: string, help: string): Option {
  return new Option(flags, help).default([]).argParser(collect);
}

export interface SiteAccessOptions {
  readonly basicAuth?: string;
  readonly header: readonly string[];
  readonly cookie: readonly string[];
  /** A file. */
  readonly login?: string;
}

/**
 * Returns the attributes that the options set. `@FILE` reads values from a file, one per line, and `@-` from standard input,
 * because everyone on the machine can see the arguments of a process.
 * @throws AppError invalid_usage, without the values
 */
export function siteAccessAttributes({ basicAuth, header, cookie }: SiteAccessOptions) {
  const [credentials] = basicAuth === undefined ? [] : valuesOf('--basic-auth', basicAuth);
  return {
    basic_auth: credentials === undefined ? null : toBasicAuth(credentials),
    headers: byName('--header', header, { separator: ':', form: '"Name: value"' }, (value) => [value]),
    cookies: byName('--cookie', cookie, { separator: '=', form: 'name=value' }, (value) => value.split(';')),
  };
}

function toBasicAuth(credentials: string): { username: string; password: string } {
  const [username, password] = splitAt(credentials, ':');
  if (password === null) throw new AppError('invalid_usage', '--basic-auth must be USER:PASSWORD, or @FILE.');
  return { username, password };
}

function byName(
  option: string,
  given: readonly string[],
  { separator, form }: { readonly separator: string; readonly form: string },
  split: (value: string) => readonly string[],
): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  for (const pair of given.flatMap((text) => valuesOf(option, text)).flatMap(split)) {
    const [name, value] = splitAt(pair, separator);
    if (value === null || name.trim() === '')
      throw new AppError('invalid_usage', `${option} must be ${form}, or @FILE.`);
    if (values.has(name.trim())) throw new AppError('invalid_usage', `${option} sets ${name.trim()} twice.`);
    values.set(name.trim(), value.trim());
  }
  return Object.fromEntries(values);
}

function valuesOf(option: string, text: string): string[] {
  if (!text.startsWith('@')) return [text];
  const path = text.slice(1);
  try {
    const content = readFileSync(path === '-' ? 0 : path, 'utf8');
    return content.split(/\r?\n/).filter((line) => line.trim() !== '');
  } catch (cause) {
    throw new AppError('invalid_usage', `${option} cannot read ${path}: ${messageOf(cause)}.`, { cause });
  }
}

function splitAt(text: string, separator: string): [before: string, after: string | null] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
