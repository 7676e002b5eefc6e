import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { REPORT_DEFAULTS } from '../../packages/client/report-defaults.ts';
import { DEFAULT_LIMITS } from '../accounts/plans.ts';
import { AppError } from '../platform/errors.ts';
import { commandLine } from '../platform/invocation.ts';
import { CONFIGURATION_FILE } from './configuration-file/name.ts';
import { ConfigurationFault, parseConfiguration } from './configuration-file/parse.ts';
import { usage } from './configuration-file/usage.ts';
import { writeNew } from './configuration-file/write-new.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';

export interface InitOptions {
  readonly output?: string;
  /** Undefined to ask for it, or to use the default without a terminal; the same applies below. */
  readonly maxPages?: number;
  readonly a11y?: boolean;
  readonly failOn?: string;
  /** Whether to replace an existing file. */
  readonly force: boolean;
}

/** A setting of the file that `init` asks for. */
interface Question {
  readonly key: string;
  readonly text: string;
  /** The value for an empty line; null if a value is required. */
  readonly preset: string | null;
  /** Returns the value in the file; undefined if it is not valid. */
  read(answer: string): unknown;
}

const QUESTIONS: readonly Question[] = [
  { key: 'starting_url', text: 'Starting URL of the site?', preset: null, read: (answer) => answer },
  {
    key: 'max_pages',
    text: 'Maximum number of pages?',
    preset: String(REPORT_DEFAULTS.max_pages),
    read: (answer) => (/^\d+$/.test(answer) ? Number(answer) : answer),
  },
  {
    key: 'perform_a11y_checks',
    text: 'Also check accessibility? (yes or no)',
    preset: REPORT_DEFAULTS.perform_a11y_checks ? 'yes' : 'no',
    read: (answer) => ({ y: true, yes: true, n: false, no: false })[answer.toLowerCase()],
  },
  {
    key: 'fail_on',
    text: 'What fails a check? (error, warning, critical, … or never)',
    preset: 'error',
    read: (answer) => answer,
  },
];

/**
 * Writes a configuration file for a site. On a terminal, asks for settings that are not given.
 * @param url undefined to ask for it
 * @throws AppError invalid_usage if a value is wrong or missing, or the file already exists
 */
export async function init(terminal: Terminal, url: string | undefined, options: InitOptions): Promise<void> {
  const { output: path = CONFIGURATION_FILE, force } = options;
  const given: Readonly<Record<string, unknown>> = {
    starting_url: url,
    max_pages: options.maxPages,
    perform_a11y_checks: options.a11y,
    fail_on: options.failOn,
  };
  const settings: Record<string, unknown> = {};
  for (const question of QUESTIONS) {
    const { key, preset } = question;
    if (given[key] !== undefined) settings[key] = required(key, given[key]);
    else if (terminal.ask !== null) settings[key] = await answerTo(question, terminal, terminal.ask);
    else if (preset !== null) settings[key] = question.read(preset);
    else
      throw usage(`Without an interactive terminal, init requires a URL: ${commandLine('init https://example.com/')}`);
  }
  const text = schemaLine(path) + fileWith(settings);
  const check = await writeNew(path, text, force, 'Add --force to replace it');
  writeText(terminal.stdout, `Wrote ${path}. To check the site, run ${check}`);
}

async function answerTo(
  { key, text, preset, read }: Question,
  { stderr }: Terminal,
  ask: NonNullable<Terminal['ask']>,
): Promise<unknown> {
  for (;;) {
    const answer = (await ask(`${text}${preset === null ? '' : ` [${preset}]`}: `)).trim() || (preset ?? '');
    const value = read(answer);
    const problem = value === undefined ? `Enter yes or no, not ${answer}.` : problemOf(key, value);
    if (problem === null) return value;
    writeText(stderr, problem);
  }
}

/** @throws AppError invalid_usage if the file would not accept the value */
function required(key: string, value: unknown): unknown {
  const problem = problemOf(key, value);
  if (problem !== null) throw new AppError('invalid_usage', problem);
  return value;
}

/** Returns the problem that the parser of the file reports for a value; null if it accepts it. */
function problemOf(key: string, value: unknown): string | null {
  try {
    parseConfiguration(fileWith({ starting_url: 'https://example.com/', [key]: value }), '', DEFAULT_LIMITS.enterprise);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigurationFault)) throw error;
    return error.message.replace(/^:\d+:\d+: /gm, '');
  }
}

/** Shows editors which schema the file has, if npm has installed one next to it. */
function schemaLine(path: string): string {
  const schema = 'node_modules/sitewarden/docs/schemas/configuration-1.json';
  return existsSync(join(dirname(path), schema)) ? `# yaml-language-server: $schema=${schema}\n` : '';
}

function fileWith({ starting_url: startingUrl, ...common }: Readonly<Record<string, unknown>>): string {
  const written = (values: object): string => stringify(values, { lineWidth: 0 });
  return `# Sites to check and their settings. All settings are described in sitewarden's docs/configuration-file.md.
# Settings above sites apply to all sites.
${Object.keys(common).length === 0 ? '' : `${written(common)}\n`}sites:
  - ${written({ starting_url: startingUrl })}`;
}
