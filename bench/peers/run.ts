/**
 * Compares sitewarden with other tools on the same pages and with the same browser: speed, processor time, memory and findings.
 *
 *   npm ci --prefix bench/peers
 *   npm run bench:peers -- [--every N] [--only NAME]... [--results DIR] [--data DIR] [--chromedriver FILE]
 *
 * Each tool first checks one page, unmeasured, and then all pages once. `--only` runs some tools; the tables show
 * all results in the directory. Needs a user that can create control groups, as root can.
 */
import { chmodSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { corpusOf, serveCorpus } from '../corpus.ts';
import { type Findings, KEY_TYPES, type KeyType, sum } from './findings.ts';
import { type Measured, mayAccess, measured } from './measured-command.ts';
import { type Input, PEERS, type Tool } from './peers.ts';
import { SITEWARDEN } from './sitewarden-tools.ts';

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true },
    results: { type: 'string', default: join(tmpdir(), 'sitewarden-peers') },
    data: { type: 'string', default: join(tmpdir(), 'sitewarden-peers-data') },
    chromedriver: { type: 'string' },
  },
});
const timeoutMs = 20 * 60_000;
/** Larger pages, such as a page of 9 MB with every icon of a collection, would take longer than all others together. */
const pageMaxBytes = 500_000;

interface Result extends Measured, Findings {
  readonly name: string;
  readonly version: string;
}

const TOOLS = [...SITEWARDEN, ...PEERS];
const results = resolve(values.results);
const dataDir = resolve(values.data);
mkdirSync(results, { recursive: true });
mkdirSync(dataDir, { recursive: true });
// As root, the database runs as another user, who must be able to enter the folder.
chmodSync(dataDir, 0o755);

const corpus = await corpusOf(undefined, Number(values.every));
const pages = corpus.pages.filter((path) => statSync(fileOf(path)).size <= pageMaxBytes);
const site = await serveCorpus(corpus);
const { origin } = site;
const chromium = await findChromium({ executable: null, cacheDirectory: join(dataDir, 'cache') });
const environment = {
  ...(process.env as Record<string, string>),
  ...chromium.environment,
  HOME: results,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  SITEWARDEN_DATA_DIR: dataDir,
};
console.log(`${corpus.name}: ${pages.length} pages, mean ${meanKilobytes()} kB; ${chromium.version}`);
for (const tool of TOOLS) {
  if (values.only?.includes(tool.name) !== false) await run(tool);
}
site.stop();
printTables(resultsIn(results));

async function run(tool: Tool): Promise<void> {
  const directory = join(results, tool.name.replaceAll(/\W+/g, '-'));
  const input = { directory, chromium: chromium.executable, chromedriver: findChromedriver() };
  const runOn = async (paths: readonly string[]): Promise<Result | null> => {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
    const whole: Input = { ...input, urls: paths.map((path) => `${origin}${path}`), files: paths.map(fileOf) };
    const command = await tool.command(whole);
    if (command === null) return null;
    const used = await measured({ ...command, directory, environment }, timeoutMs);
    return { name: tool.name, version: tool.version, ...used, ...(await tool.findings(whole)) };
  };
  const [first = ''] = pages;
  if ((await runOn([first])) === null) {
    console.log(`  ${tool.name}: not run, because this machine has no ChromeDriver`);
    return;
  }
  const result = await runOn(pages);
  writeFileSync(`${directory}.json`, JSON.stringify(result));
  console.log(`  ${tool.name}: ${result?.seconds.toFixed(1)} s, ${result?.words}`);
}

function meanKilobytes(): number {
  return Math.round(sum(pages, (path) => statSync(fileOf(path)).size) / pages.length / 1_000);
}

/** Returns the file of a page, whose path begins with the number of its folder. */
function fileOf(path: string): string {
  const [, index = '', ...names] = decodeURI(path).split('/');
  return join(corpus.directories[Number(index)] ?? '', ...names);
}

function findChromedriver(): string | null {
  if (values.chromedriver !== undefined) return resolve(values.chromedriver);
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromedriver'));
  return places.find((file) => mayAccess(file, constants.X_OK)) ?? null;
}

function resultsIn(directory: string): Result[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  const all = names.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as Result);
  const position = ({ name }: Result): number => TOOLS.findIndex((tool) => tool.name === name);
  return all.sort((one, other) => position(one) - position(other));
}

function printTables(rows: readonly Result[]): void {
  console.log(
    '\n| Tool | Version | Pages | Pages/s | CPU per page | Peak memory | Found |\n|---|---|---|---|---|---|---|',
  );
  for (const { name, version, pages, seconds, cpuSeconds, peakBytes, words } of rows) {
    const cpu = `${(cpuSeconds / pages).toFixed(2)} s`;
    const cells = [name, version, pages, (pages / seconds).toFixed(2), cpu, `${Math.round(peakBytes / 1e6)} MB`, words];
    console.log(`| ${cells.join(' | ')} |`);
  }
  const ours = rows.filter(({ name }) => name.startsWith('sitewarden'));
  console.log('\n| Tool | Compared by | Both | Only the tool | Only sitewarden |\n|---|---|---|---|---|');
  for (const row of rows) {
    if (ours.includes(row)) continue;
    for (const [type, keys] of Object.entries(row.keys) as [KeyType, readonly string[]][]) {
      const theirs = new Set(keys);
      const own = ours.find((result) => (result.keys[type]?.length ?? 0) > 0);
      const here = new Set(own?.keys[type] ?? []);
      const cells = [theirs.intersection(here), theirs.difference(here), here.difference(theirs)].map(
        ({ size }) => size,
      );
      console.log(`| ${[row.name, KEY_TYPES[type], ...cells].join(' | ')} |`);
    }
  }
}
