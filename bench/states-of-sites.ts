/**
 * Opens the states of the pages of a site in a directory, and prints for each page how many were opened, the occurrences that
 * they add, the time, and whether the runs differ:
 *
 *   npm run bench:states-of-sites -- DIRECTORY [--pages PART] [--runs N] [--list]
 *
 * `--pages` checks only files with this text in their path; `--list` prints what was found, and how.
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { A11Y } from '../src/checks/a11y/description.ts';
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT } from '../src/domain/check.ts';
import { type OpeningStep, reachedByText } from '../src/domain/reached-by.ts';
import { fetchDocument, testPool } from '../test/helpers/browser.ts';
import { startTestSite } from '../test/helpers/test-site.ts';
import { median } from './median.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: 'string' }, runs: { type: 'string', default: '3' }, list: { type: 'boolean' } },
});
const [directory = '.'] = positionals;
const checkTimeoutMs = 300_000;
const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html') && path.includes(values.pages ?? ''))
  .toSorted();
const site = await startTestSite({ directory });
const engine = createA11yEngine({ pool: testPool() });
await engine.start();

interface Result {
  readonly found: readonly string[];
  readonly opened: number;
  readonly notes: readonly string[];
  readonly ms: number;
}

async function check(path: string, exploresStates: boolean): Promise<Result> {
  const document = await fetchDocument(`${site.origin}/${path}`);
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'states', exploresStates };
  const startedAt = performance.now();
  const answer = await engine.collect(input, AbortSignal.timeout(checkTimeoutMs));
  const ms = performance.now() - startedAt;
  const { issues, notes, shownAs } = A11Y.interpret(answer, document.url);
  const found = issues.flatMap(({ type, ruleId, occurrences }) =>
    [occurrences].flat().map((each) => {
      const { html, target, reached_by: steps } = each as unknown as Found;
      return `${type} ${ruleId} ${JSON.stringify(target)} ${html.slice(0, 120)} ${steps === undefined ? '' : `· ${reachedByText(steps)}`}`;
    }),
  );
  return { found, opened: shownAs?.openedStates ?? 0, notes: notes.map((note) => JSON.stringify(note)), ms };
}
interface Found {
  readonly html: string;
  readonly target: unknown;
  readonly reached_by?: readonly OpeningStep[];
}

const all: Result[] = [];
let [identical, added, closedMs] = [0, 0, 0];
for (const path of paths) {
  const closed = await check(path, false);
  const runs: Result[] = [];
  while (runs.length < Number(values.runs)) runs.push(await check(path, true));
  const [first = closed] = runs;
  const texts = runs.map(({ found, opened, notes }) => JSON.stringify([found, opened, notes]));
  const isSame = new Set(texts).size === 1;
  const ofStates = first.found.filter((each) => !closed.found.includes(each));
  all.push(first);
  identical += isSame ? 1 : 0;
  added += ofStates.length;
  closedMs += closed.ms;
  const times = `${Math.round(closed.ms)} + ${Math.round(median(runs.map(({ ms }) => ms)) - closed.ms)} ms`;
  console.log(
    `${path}: ${first.opened} states, ${closed.found.length} + ${ofStates.length} occurrences, ${times}${isSame ? '' : ', RUNS DIFFER'} ${first.notes.join()}`,
  );
  if (values.list === true) for (const each of ofStates) console.log(`    ${each}`);
  if (!isSame) {
    for (const other of runs.slice(1)) {
      for (const each of other.found) if (!first.found.includes(each)) console.log(`    only later: ${each}`);
      for (const each of first.found) if (!other.found.includes(each)) console.log(`    only first: ${each}`);
      console.log(`    opened ${other.opened}, ${other.notes.join()}`);
    }
  }
}
const unsafe = site.requests.filter(({ method }) => method !== 'GET');
const opened = all.map((each) => each.opened);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
console.log(
  `${paths.length} pages, ${identical} identical in ${values.runs} runs; ${sum(opened)} states (median ${median(opened)}, most ${Math.max(...opened)}); ${added} occurrences added; ` +
    `${Math.round(closedMs / paths.length)} ms per page without, ${Math.round(sum(all.map(({ ms }) => ms)) / paths.length)} ms with; ${unsafe.length} requests other than GET`,
);
await engine.stop();
await site.stop();
