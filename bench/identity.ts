import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { createVnuServer } from '../src/checks/html/vnu-server.ts';
import { type CheckKind, DEFAULT_VIEWPORT } from '../src/domain/check.ts';
import { quietLog, recordChildren, testPool } from '../test/helpers/browser.ts';
import { type EditedDocument, unedited } from '../test/helpers/draft.ts';
import { compareEdited, type FoundPlace, type Kept, placesOf } from '../test/helpers/identity-measure.ts';
import { startLoopbackProxy } from '../test/helpers/loopback-proxy.ts';
import { EDITS, edit, release } from '../test/helpers/page-edits.ts';
import { randomFrom } from '../test/helpers/random.ts';
import { startTestSite } from '../test/helpers/test-site.ts';

/**
 * Measures how many places of issues keep their fingerprints when real pages are edited. Fails below the goal, and if two
 * places of a page share a fingerprint.
 *
 *     npm run bench:identity [-- [--pages N] [--a11y N] [--seed N] FOLDER ...]
 *
 * Of each folder, `--pages` are checked by the HTML validator, and `--a11y` by axe, which takes a second for each edit.
 */

const MODULES = join(import.meta.dirname, '../node_modules');
const CORPORA = ['@tabler/preview/dist', 'dygraphs/_site', 'startbootstrap-sb-admin-2'];
const RELEASE = 'ten random edits';
const releaseEdits = 10;
/** Share of untouched places that must be recognized. */
const goal = 0.98;
const checkTimeoutMs = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: 'string', default: '20' },
    a11y: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
});
const directories = positionals.length > 0 ? positionals : CORPORA.map((name) => join(MODULES, name));

interface Sum extends Kept {
  readonly pages: number;
  /** That interpreting the answers took, in ms. */
  readonly ms: number;
}

/** Checks the text of a page of a folder. */
type Check = (text: string, file: string) => Promise<{ readonly answer: Uint8Array; readonly url: string }>;

const validator = createVnuServer({ compiler: 'optimizing', children: recordChildren(), logger: quietLog });
await validator.start();
try {
  await measure('html', Number(values.pages), async () => ({ check: validate, stop: async () => {} }));
} finally {
  await validator.stop();
}
if (Number(values.a11y) > 0) await measureAccessibility();

async function validate(text: string, file: string): ReturnType<Check> {
  const document = { contentType: 'text/html; charset=utf-8', body: Buffer.from(text) };
  const answer = await validator.validate(document, AbortSignal.timeout(checkTimeoutMs));
  return { answer, url: `http://identity.test/${file}` };
}

async function measureAccessibility(): Promise<void> {
  const proxy = await startLoopbackProxy();
  const engine = createA11yEngine({ pool: testPool({ proxyServer: proxy.address }) });
  try {
    await engine.start();
    await measure('a11y', Number(values.a11y), async (directory) => {
      const site = await startTestSite({ directory });
      const check: Check = async (text, file) => {
        const url = `${site.origin}/${file}`;
        const body = Buffer.from(text);
        const document = { url, httpStatus: 200, contentType: 'text/html; charset=utf-8', headers: [], body };
        const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: directory };
        return { answer: await engine.collect(input, AbortSignal.timeout(checkTimeoutMs)), url };
      };
      return { check, stop: () => site.stop() };
    });
  } finally {
    await engine.stop();
    await proxy.stop();
  }
}

/** Edits pages of each folder in all ways, and prints a table. */
async function measure(
  kind: CheckKind,
  pages: number,
  open: (directory: string) => Promise<{ readonly check: Check; stop(): Promise<void> }>,
): Promise<void> {
  const sums = new Map<string, Sum>();
  const random = randomFrom(Number(values.seed));
  for (const directory of directories) {
    const { check, stop } = await open(directory);
    for (const file of await chosenFiles(directory, pages)) {
      const text = (await readFile(join(directory, file), 'utf8')).replace(/^\ufeff/, '');
      const first = await check(text, file);
      const before = placesOf(kind, first.answer, text, first.url);
      for (const name of [...Object.keys(EDITS), RELEASE]) {
        const edited = name === RELEASE ? release(text, random, releaseEdits) : edit(name, unedited(text), random);
        if (edited === null) continue;
        const { answer, url } = await check(edited.text, file);
        add(sums, name, measureEdit(kind, before, edited, { answer, url }));
      }
    }
    await stop();
  }
  report(kind, sums);
}

/** Returns pages spread evenly over a folder. */
async function chosenFiles(directory: string, pages: number): Promise<string[]> {
  const files = (await Array.fromAsync(glob('**/*.{html,htm}', { cwd: directory }))).toSorted();
  const every = Math.max(1, Math.ceil(files.length / pages));
  return files.filter((_, index) => index % every === 0);
}

function measureEdit(
  kind: CheckKind,
  before: readonly FoundPlace[],
  edited: EditedDocument,
  { answer, url }: { readonly answer: Uint8Array; readonly url: string },
): Sum {
  const started = performance.now();
  const after = placesOf(kind, answer, edited.text, url);
  const ms = performance.now() - started;
  return { ...compareEdited(before, edited, after), pages: 1, ms };
}

function add(sums: Map<string, Sum>, name: string, counts: Sum): void {
  const known = sums.get(name);
  const entries = Object.entries(counts).map(([key, count]) => [key, count + (known?.[key as keyof Sum] ?? 0)]);
  sums.set(name, Object.fromEntries(entries));
}

function report(kind: CheckKind, sums: Map<string, Sum>): void {
  for (const counts of [...sums.values()]) add(sums, 'all', counts);
  console.log(`\n${kind}\n`);
  console.log('| edit | pages | untouched | same | recognized | wrongly new, fixed, persisting | shared | ms a page |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [name, sum] of sums) {
    const wrong = `${sum.falseNew}, ${sum.falseFixed}, ${sum.falsePersisting}`;
    const shares = `${percent(sum.kept / sum.untouched)} | ${percent(sum.matched / sum.untouched)}`;
    const time = (sum.ms / sum.pages).toFixed(1);
    console.log(`| ${name} | ${sum.pages} | ${sum.untouched} | ${shares} | ${wrong} | ${sum.shared} | ${time} |`);
  }
  const all = sums.get('all');
  if (all === undefined || all.matched / all.untouched < goal || all.shared > 0) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`;
}
