/**
 * Measures the cost of screenshots: the processor time of accessibility checks with and without them, page by page, and of whole
 * reports, which also crawl and store.
 *
 *   npm run bench:screenshots -- [--directory DIR] [--every N] [--rounds N] [--pairs N]
 *
 * Processor time of the whole machine, which must have nothing else to do. The corpus is the same as in `npm run bench`.
 * `--rounds` is how often each page is checked with and without; `--pairs` is how many reports are made with and without, in
 * turn.
 */
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument } from '../src/domain/check.ts';
import type { Screenshot } from '../src/domain/screenshot.ts';
import { fetchDocument, testPool } from '../test/helpers/browser.ts';
import { corpusOfOptions, serveCorpus } from './corpus.ts';
import { machineCpuMilliseconds } from './cpu-time.ts';
import { openBenchApp } from './whole-report.ts';

const { corpus, rounds, pairs } = await corpusOfOptions();
console.log(`${corpus.name}: ${corpus.pages.length} pages, ${rounds} round(s), ${pairs} pair(s) of reports\n`);

const site = await serveCorpus(corpus);
const { origin } = site;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const middle = (numbers: readonly number[], share = 0.5): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN;
const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)}%`;

if (pairs > 0) await measureReports();
if (rounds > 0) await measurePages();
site.stop();

/** Makes reports without and with screenshots in turn. Which comes first changes, so that drift affects both alike. */
async function measureReports(): Promise<void> {
  const app = await openBenchApp();
  const { urls } = site;
  const [times, seconds]: [number[], number[]] = [[], []];
  // The first report fills the HTTP cache.
  await app.report(urls, { checks: ['a11y'], reuse: false });
  for (let pair = 0; pair < pairs; pair += 1) {
    const taken = new Map<boolean, { readonly ms: number; readonly seconds: number }>();
    for (const takes of pair % 2 === 0 ? [false, true] : [true, false]) {
      const before = machineCpuMilliseconds();
      const passed = await app.report(urls, { checks: ['a11y'], store_screenshots: takes, reuse: false });
      taken.set(takes, { ms: (machineCpuMilliseconds() - before) / urls.length, seconds: passed });
    }
    const [without, withPictures] = [taken.get(false), taken.get(true)];
    if (without === undefined || withPictures === undefined) continue;
    times.push(withPictures.ms / without.ms);
    seconds.push(withPictures.seconds / without.seconds);
    const show = ({ ms, seconds: passed }: typeof without) =>
      `${ms.toFixed(0)} ms of processor time a page, ${(urls.length / passed).toFixed(2)} pages/s`;
    console.log(`  pair ${pair + 1}: without ${show(without)}; with ${show(withPictures)}`);
  }
  console.log(`Whole reports, median of ${pairs} pairs: ${percent(middle(times))} more processor time, `);
  console.log(`  ${percent(middle(seconds))} more time\n`);
  await app.close();
}

/** Checks each page with and without a screenshot, and prints the cost and the size of the screenshots. */
async function measurePages(): Promise<void> {
  const engine = createA11yEngine({ pool: testPool({ slots: 1 }) });
  await engine.start();
  const { signal } = new AbortController();
  const screenshots = new Map<string, Screenshot>();

  /** Returns the milliseconds of processor time of a check. */
  async function check(document: FetchedDocument, path: string, takes: boolean): Promise<number> {
    const keepScreenshot = takes ? (taken: Screenshot): void => void screenshots.set(path, taken) : undefined;
    const before = machineCpuMilliseconds();
    await engine.collect({ document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'bench', keepScreenshot }, signal);
    // The page is emptied after the check has resolved, before the next one begins.
    await engine.isReady();
    return machineCpuMilliseconds() - before;
  }

  const [off, on]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, path] of corpus.pages.entries()) {
      const document = await fetchDocument(`${origin}${path}`);
      // The first check of a page fills the HTTP cache. Some pages cannot be checked, such as pages that redirect by script.
      if (!(await check(document, path, false).then(Boolean, () => false))) continue;
      // The order changes, so that drift affects both alike.
      const isFirst = (index + round) % 2 === 0;
      for (const takes of [isFirst, !isFirst]) (takes ? on : off).push(await check(document, path, takes));
    }
  }

  const perCheck = (numbers: readonly number[]): string => (sum(numbers) / numbers.length).toFixed(0);
  const more = on.map((time, index) => time - (off[index] ?? 0));
  console.log(
    `Without: ${perCheck(off)} ms a page. With: ${perCheck(on)} ms, median of the difference ${middle(more)} ms`,
  );
  console.log(`All pages: ${percent(sum(on) / sum(off))} more processor time\n`);

  for (const [index, directory] of corpus.directories.entries()) {
    const taken = [...screenshots]
      .filter(([path]) => path.startsWith(`/${index}/`))
      .map(([, screenshot]) => screenshot);
    const sizes = taken.map(({ image }) => image.byteLength / 1_000);
    const figures = [sum(sizes) / sizes.length, middle(sizes), middle(sizes, 0.9), middle(sizes, 1)];
    const [mean, median, most, largest] = figures.map((size) => size.toFixed(0));
    const clipped = taken.filter((screenshot) => screenshot.clipped).length;
    console.log(`${directory}: ${taken.length} pictures, ${clipped} clipped`);
    console.log(`  mean ${mean} kB, median ${median}, 90% at most ${most}, largest ${largest}`);
  }

  await engine.stop();
}
