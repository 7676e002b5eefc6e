/**
 * What screenshots cost: the processor time of accessibility checks with and without them, page by page.
 *
 *   npm run bench:screenshots -- [--directory DIR] [--every N] [--rounds N]
 *
 * Processor time of this process and the browser, since other work on the machine affects it less than the time that passes. The
 * corpus is that of `npm run bench`. A whole report also crawls and stores, so it is slowed down by less.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument } from '../src/domain/check.ts';
import type { Screenshot } from '../src/domain/screenshot.ts';
import { fetchDocument, testPool } from '../test/helpers/browser.ts';
import { corpusOfOptions } from './corpus.ts';
import { treeCpuMilliseconds } from './cpu-time.ts';

const { corpus, rounds } = await corpusOfOptions();
console.log(`${corpus.name}: ${corpus.pages.length} pages, ${rounds} round(s)\n`);

const server = fork(join(import.meta.dirname, 'serve-corpus.ts'), corpus.directories);
const [origin] = (await once(server, 'message')) as [string];
const engine = createA11yEngine({ pool: testPool({ slots: 1 }) });
await engine.start();
const { signal } = new AbortController();
const screenshots = new Map<string, Screenshot>();

/** Returns the milliseconds of processor time of a check. */
async function check(document: FetchedDocument, path: string, takes: boolean): Promise<number> {
  const keepScreenshot = takes ? (taken: Screenshot): void => void screenshots.set(path, taken) : undefined;
  const before = treeCpuMilliseconds(server.pid);
  await engine.collect({ document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'bench', keepScreenshot }, signal);
  // The page is emptied after the check has resolved, before the next one begins.
  await engine.isReady();
  return treeCpuMilliseconds(server.pid) - before;
}

const [off, on]: [number[], number[]] = [[], []];
for (let round = 0; round < rounds; round += 1) {
  for (const [index, path] of corpus.pages.entries()) {
    const document = await fetchDocument(`${origin}${path}`);
    // The first check of a page fills the HTTP cache. Some pages cannot be checked, such as one that redirects by script.
    if (!(await check(document, path, false).then(Boolean, () => false))) continue;
    // The order changes, so that what drifts affects both alike.
    const isFirst = (index + round) % 2 === 0;
    for (const takes of [isFirst, !isFirst]) (takes ? on : off).push(await check(document, path, takes));
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const middle = (numbers: readonly number[], share = 0.5): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN;
const perCheck = (numbers: readonly number[]): string => (sum(numbers) / numbers.length).toFixed(0);
const more = on.map((time, index) => time - (off[index] ?? 0));
console.log(
  `Without: ${perCheck(off)} ms a page. With: ${perCheck(on)} ms, median of the difference ${middle(more)} ms`,
);
console.log(`All pages: ${((sum(on) / sum(off) - 1) * 100).toFixed(1)}% more processor time\n`);

for (const [index, directory] of corpus.directories.entries()) {
  const taken = [...screenshots].filter(([path]) => path.startsWith(`/${index}/`)).map(([, screenshot]) => screenshot);
  const sizes = taken.map(({ image }) => image.byteLength / 1_000);
  const figures = [sum(sizes) / sizes.length, middle(sizes), middle(sizes, 0.9), middle(sizes, 1)];
  const [mean, median, most, largest] = figures.map((size) => size.toFixed(0));
  const clipped = taken.filter((screenshot) => screenshot.clipped).length;
  console.log(`${directory}: ${taken.length} pictures, ${clipped} clipped`);
  console.log(`  mean ${mean} kB, median ${median}, 90% at most ${most}, largest ${largest}`);
}

await engine.stop();
server.disconnect();
