import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../src/platform/version.ts';
import { amount, criteriaOf, type Findings, pathOf } from './findings.ts';
import type { Tool } from './peers.ts';

interface Issue {
  readonly issue_type: 'error' | 'warning';
  readonly message: string;
  readonly rule_id: string;
  readonly tags: readonly string[];
  readonly how_many: number;
  readonly html?: readonly { readonly coordinates: { readonly last_line: number } }[];
  readonly links?: readonly { readonly url: string }[];
}

interface ExportedReport {
  readonly report: Readonly<Record<string, unknown>>;
  readonly web_pages: readonly {
    readonly url: string;
    readonly html_issues?: readonly Issue[];
    readonly a11y_issues?: readonly Issue[];
    readonly link_issues?: readonly Issue[];
  }[];
}

const RUN = join(import.meta.dirname, '../../scripts/run.mjs');

/** The command `check` with some of its checks. */
function check(name: string, optionsFor: (files: readonly string[]) => Promise<readonly string[]>): Tool {
  return {
    name,
    version: VERSION,
    async command({ urls: [first = '', ...others], files }) {
      const pages = [first, ...others.flatMap((url) => ['--initial-url', url]), '--no-deep-crawl'];
      const limits = ['--max-pages', String(others.length + 1), '--rate-limit', '100', '--no-prefer-canonical-urls'];
      const output = ['--no-reuse', '--fail-on', 'never', '--format', 'json', '--output', 'report.json'];
      return {
        file: process.execPath,
        args: [RUN, 'check', ...pages, ...limits, ...output, ...(await optionsFor(files))],
      };
    },
    findings: ({ directory }) => findingsIn(join(directory, 'report.json')),
  };
}

async function findingsIn(file: string): Promise<Findings> {
  const { web_pages: pages } = JSON.parse(await readFile(file, 'utf8')) as ExportedReport;
  const issues = pages.flatMap(({ url, ...page }) =>
    (['html', 'a11y', 'link'] as const).flatMap((kind) =>
      (page[`${kind}_issues`] ?? []).map((issue) => ({ ...issue, kind, path: pathOf(url) })),
    ),
  );
  const errors = issues.filter(({ issue_type: type }) => type === 'error');
  const count = (of: readonly Issue[]): number => of.reduce((total, { how_many: number }) => total + number, 0);
  const rest = issues.filter((issue) => !errors.includes(issue));
  const ofKind = (kind: string, from: typeof issues) => from.filter((issue) => issue.kind === kind);
  return {
    pages: pages.length,
    words: `${amount(count(errors), 'error')}, ${amount(count(rest), 'warning')}`,
    keys: {
      rule: ofKind('a11y', errors).map(({ path, rule_id: rule }) => `${path} ${rule}`),
      criterion: ofKind('a11y', errors).flatMap(({ path, tags }) => criteriaOf(tags).map((id) => `${path} ${id}`)),
      message: ofKind('html', issues).map(({ path, message }) => `${path} ${message}`),
      line: ofKind('html', errors).flatMap(({ path, html = [] }) =>
        html.map(({ coordinates }) => `${path} ${coordinates.last_line}`),
      ),
      link: ofKind('link', errors).flatMap(({ links = [] }) => links.map(({ url }) => pathOf(url))),
    },
  };
}

/** Excludes all other hosts, because requests to them would measure the network. */
async function onlyOwnLinks(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const hosts = texts.flatMap((text) => text.match(/(?<=https?:\/\/)[\w.-]+/gi) ?? []);
  return [...new Set(hosts)].flatMap((host) => ['--exclude', `https://${host}/`]);
}

export const SITEWARDEN: readonly Tool[] = [
  check('sitewarden, HTML', async () => ['--no-a11y']),
  check('sitewarden, accessibility', async () => ['--no-html']),
  check('sitewarden', async () => []),
  check('sitewarden, links', async (files) => ['--no-html', '--no-a11y', '--links', ...(await onlyOwnLinks(files))]),
];
