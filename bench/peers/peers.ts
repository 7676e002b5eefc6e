import { glob, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type AxeRule, amount, type Findings, pathOf, sum } from './findings.ts';

/** What every tool gets. */
export interface Input {
  readonly urls: readonly string[];
  /** The files of the same pages, for tools that read files. */
  readonly files: readonly string[];
  /** Where the tool runs and writes; empty at first. */
  readonly directory: string;
  readonly chromium: string;
  /** Null if there is no ChromeDriver. */
  readonly chromedriver: string | null;
}

export interface Tool {
  /** Names the row of the table, and the tool for `--only`. */
  readonly name: string;
  readonly version: string;
  /** Returns the command, or null if the tool lacks something on this machine. */
  command(input: Input): Promise<{ readonly file: string; readonly args: readonly string[] } | null>;
  findings(input: Input): Promise<Findings>;
}

const MODULES = join(import.meta.dirname, 'node_modules');
const CHROMIUM_FLAGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

function versionOf(name: string): string {
  try {
    return createRequire(import.meta.url)(join(MODULES, name, 'package.json')).version;
  } catch {
    throw new Error('The tools are not installed. Run `npm ci --prefix bench/peers`.');
  }
}

const bin = (name: string): string => join(MODULES, '.bin', name);
const read = async (input: Input, name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(input.directory, name), 'utf8'));

interface Pa11yIssue {
  readonly code?: string;
  /** With axe: whether a person has to decide. */
  readonly runnerExtras?: { readonly needsFurtherReview?: boolean };
}

function pa11y(name: string, runner: 'htmlcs' | 'axe'): Tool {
  return {
    name,
    version: versionOf('pa11y-ci'),
    async command({ urls, directory, chromium }) {
      const chromeLaunchConfig = { executablePath: chromium, args: CHROMIUM_FLAGS };
      const defaults = { chromeLaunchConfig, runners: [runner] };
      await writeFile(join(directory, 'pa11y.json'), JSON.stringify({ defaults, urls }));
      return { file: bin('pa11y-ci'), args: ['--config', 'pa11y.json', '--json'] };
    },
    async findings(input) {
      const { results } = (await read(input, 'stdout')) as { results: Record<string, readonly Pa11yIssue[]> };
      // A page that could not be tested has an error without a code.
      const pages = Object.entries(results).filter(([, issues]) => issues.every(({ code }) => code !== undefined));
      const keys = pages.flatMap(([url, issues]) =>
        issues
          .filter(({ runnerExtras }) => runnerExtras?.needsFurtherReview !== true)
          .map(({ code = '' }) => `${pathOf(url)} ${idIn(code)}`),
      );
      const words = amount(
        sum(pages, ([, issues]) => issues.length),
        'error',
      );
      return { pages: pages.length, words, keys: { [runner === 'axe' ? 'rule' : 'criterion']: keys } };
    },
  };
}

/** Returns the rule of axe, or the criterion in a code of HTML CodeSniffer: `WCAG2AA.Principle1.Guideline1_3.1_3_1.F68`. */
function idIn(code: string): string {
  return code.split('.')[3]?.replaceAll('_', '.') ?? code;
}

interface AxeResult {
  readonly url: string;
  readonly violations: readonly AxeRule[];
}

const axe: Tool = {
  name: '@axe-core/cli',
  version: versionOf('@axe-core/cli'),
  async command({ urls, directory, chromium, chromedriver }) {
    if (chromedriver === null) return null;
    // ChromeDriver refuses a browser of another version, which it can control all the same.
    const driver = join(directory, 'chromedriver');
    await writeFile(driver, `#!/bin/sh\nexec ${chromedriver} --disable-build-check "$@"\n`, { mode: 0o755 });
    const options = CHROMIUM_FLAGS.map((flag) => flag.slice(2)).join(',');
    const flags = ['--chromedriver-path', driver, '--chrome-path', chromium, '--save', 'axe.json'];
    return { file: bin('axe'), args: [...urls, ...flags, ...(options === '' ? [] : ['--chrome-options', options])] };
  },
  async findings(input) {
    const results = (await read(input, 'axe.json')) as readonly AxeResult[];
    const elements = sum(results, ({ violations }) => sum(violations, ({ nodes }) => nodes.length));
    return {
      pages: results.length,
      words: amount(elements, 'accessibility issue'),
      keys: { rule: results.flatMap(({ url, violations }) => violations.map(({ id }) => `${pathOf(url)} ${id}`)) },
    };
  },
};

interface LighthouseResult {
  readonly requestedUrl: string;
  readonly runtimeError?: unknown;
  readonly categories: {
    readonly accessibility: { readonly score: number | null; readonly auditRefs: readonly { readonly id: string }[] };
  };
  readonly audits: Readonly<Record<string, { readonly score: number | null; readonly scoreDisplayMode: string }>>;
}

function lighthouse(name: string, settings: readonly string[]): Tool {
  return {
    name,
    version: versionOf('@lhci/cli'),
    async command({ urls, chromium }) {
      const flags = [`--chromePath=${chromium}`, '--numberOfRuns=1', ...settings];
      const all = [...urls.map((url) => `--url=${url}`), ...flags];
      const chromeFlags = CHROMIUM_FLAGS.length === 0 ? [] : [`--settings.chromeFlags=${CHROMIUM_FLAGS.join(' ')}`];
      return { file: bin('lhci'), args: ['collect', ...all, ...chromeFlags] };
    },
    async findings(input) {
      const files = await Array.fromAsync(glob('.lighthouseci/lhr-*.json', { cwd: input.directory }));
      const all = (await Promise.all(files.map((file) => read(input, file)))) as readonly LighthouseResult[];
      const results = all.filter(({ runtimeError }) => runtimeError === undefined);
      const failed = results.flatMap(({ requestedUrl, categories, audits }) =>
        categories.accessibility.auditRefs
          .filter(({ id }) => audits[id]?.scoreDisplayMode === 'binary' && audits[id].score === 0)
          .map(({ id }) => `${pathOf(requestedUrl)} ${id}`),
      );
      const score = sum(results, ({ categories }) => categories.accessibility.score ?? 0) / results.length;
      const words = `${amount(failed.length, 'failed accessibility audit')}, mean score ${Math.round(score * 100)}`;
      return { pages: results.length, words, keys: { rule: failed } };
    },
  };
}

/** A message of html-validate or of the Nu Html Checker for a file. */
interface FileMessage {
  readonly line: number;
  readonly severity: number;
}

const htmlValidate: Tool = {
  name: 'html-validate',
  version: versionOf('html-validate'),
  async command({ files }) {
    return { file: bin('html-validate'), args: ['--formatter', 'json', ...files] };
  },
  async findings(input) {
    const text = await readFile(join(input.directory, 'stdout'), 'utf8');
    const results = JSON.parse(text) as readonly { filePath: string; messages: readonly FileMessage[] }[];
    const path = pathsOfFiles(input);
    const messages = results.flatMap(({ filePath, messages: found }) =>
      found.map((message) => ({ ...message, page: path(filePath) })),
    );
    const errors = messages.filter(({ severity }) => severity === 2);
    const words = `${amount(errors.length, 'error')}, ${amount(messages.length - errors.length, 'warning')}`;
    // Files without messages are not in the output.
    return {
      pages: input.files.length,
      words,
      keys: { line: errors.map(({ page, line }) => `${page} ${line}`) },
    };
  },
};

interface VnuMessage {
  readonly type: string;
  readonly subType?: string;
  readonly url: string;
  readonly message: string;
  readonly lastLine?: number;
}

const vnu: Tool = {
  name: 'vnu',
  version: createRequire(import.meta.url)('vnu-jar/package.json').version,
  async command({ files }) {
    const jar = createRequire(import.meta.url).resolve('vnu-jar/build/dist/vnu.jar');
    return { file: 'java', args: ['-jar', jar, '--format', 'json', '--exit-zero-always', ...files] };
  },
  async findings(input) {
    const { messages } = (await read(input, 'stderr')) as { messages: readonly VnuMessage[] };
    const path = pathsOfFiles(input);
    const of = ({ url }: VnuMessage): string => path(decodeURI(new URL(url).pathname));
    const errors = messages.filter(({ type }) => type === 'error');
    return {
      pages: input.files.length,
      words: `${amount(errors.length, 'error')}, ${amount(messages.length - errors.length, 'warning')}`,
      keys: {
        message: messages.map((message) => `${of(message)} ${message.message}`),
        line: errors.map((message) => `${of(message)} ${message.lastLine}`),
      },
    };
  },
};

/** Returns the path of the page of a file. */
function pathsOfFiles({ files, urls }: Input): (file: string) => string {
  const paths = new Map(files.map((file, index) => [file, pathOf(urls[index] ?? '')]));
  return (file) => paths.get(file) ?? file;
}

interface CheckedLink {
  readonly url: string;
  readonly state: 'OK' | 'BROKEN' | 'SKIPPED';
}

const linkinator: Tool = {
  name: 'linkinator',
  version: versionOf('linkinator'),
  async command({ urls }) {
    // Other hosts would measure the network.
    return {
      file: bin('linkinator'),
      args: [...urls, '--format', 'json', '--skip', '^(?!http://127\\.0\\.0\\.1[:/])'],
    };
  },
  async findings(input) {
    const { links } = (await read(input, 'stdout')) as { links: readonly CheckedLink[] };
    const broken = links.filter(({ state }) => state === 'BROKEN');
    // It lists each link once, with one of its pages.
    const keys = broken.map(({ url }) => pathOf(url));
    const checked = links.length - links.filter(({ state }) => state === 'SKIPPED').length;
    return {
      pages: input.urls.length,
      words: `${broken.length} of ${amount(checked, 'link')} broken`,
      keys: { link: keys },
    };
  },
};

export const PEERS: readonly Tool[] = [
  vnu,
  htmlValidate,
  axe,
  pa11y('pa11y-ci', 'htmlcs'),
  pa11y('pa11y-ci with axe', 'axe'),
  lighthouse('Lighthouse CI, accessibility', ['--settings.onlyCategories=accessibility']),
  lighthouse('Lighthouse CI', []),
  linkinator,
];
