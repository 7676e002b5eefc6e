import { A11Y } from '../src/checks/a11y/description.ts';
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT } from '../src/domain/check.ts';
import { PATTERNS, pageOf, seedsOf } from '../test/helpers/apg-patterns.ts';
import { fetchDocument, testPool } from '../test/helpers/browser.ts';
import { startTestSite } from '../test/helpers/test-site.ts';

/**
 * Opens the states of pages with seeded defects, three times, and prints the share of the defects that is found:
 * npm run bench:states [PATTERN]
 */

const SEEDS_PER_PATTERN = 10;
const RUNS = 3;
const checkTimeoutMs = 300_000;

const [only] = process.argv.slice(2);
const chosen = PATTERNS.map((pattern, index) => ({ pattern, index, seeds: seedsOf(index, SEEDS_PER_PATTERN) })).filter(
  ({ pattern }) => only === undefined || pattern.name === only,
);
const requests: string[] = [];
const pages = new Map(chosen.map(({ pattern, index, seeds }) => [`/${index}`, pageOf(pattern, seeds)]));
const site = await startTestSite({
  '*': ({ method = '', url = '' }, response) => {
    requests.push(`${method} ${url}`);
    const body = pages.get(url);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
  },
});
const engine = createA11yEngine({ pool: testPool() });
await engine.start();

interface Result {
  readonly occurrences: readonly string[];
  readonly notes: unknown;
  readonly ms: number;
}

async function check(path: string, exploresStates: boolean): Promise<Result> {
  const document = await fetchDocument(`${site.origin}${path}`);
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'states', exploresStates };
  const startedAt = performance.now();
  const answer = await engine.collect(input, AbortSignal.timeout(checkTimeoutMs));
  const { issues, notes } = A11Y.interpret(answer, document.url);
  const occurrences = issues.flatMap(({ type, ruleId, occurrences: found }) =>
    [found].flat().map((occurrence) => JSON.stringify([type, ruleId, occurrence])),
  );
  return { occurrences, notes, ms: performance.now() - startedAt };
}

const isFound = (found: readonly string[], { number, rule }: { readonly number: number; readonly rule: string }) =>
  found.some((each) => each.startsWith(`["error","${rule}"`) && each.includes(`data-seed=\\"${number}\\"`));

let [all, foundInAll, identical, ms] = [0, 0, 0, 0];
for (const { pattern, index, seeds } of chosen) {
  const closed = await check(`/${index}`, false);
  const early = seeds.filter((seed) => isFound(closed.occurrences, seed));
  const runs: Result[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await check(`/${index}`, true));
  const [first = closed] = runs;
  const found = seeds.filter((seed) => isFound(first.occurrences, seed));
  const others = first.occurrences.filter((each) => !each.includes('data-seed') && !closed.occurrences.includes(each));
  const isSame = runs.every(({ occurrences }) => JSON.stringify(occurrences) === JSON.stringify(first.occurrences));
  all += seeds.length;
  foundInAll += found.length;
  identical += isSame ? 1 : 0;
  ms += first.ms;
  const missing = seeds.filter((seed) => !found.includes(seed)).map(({ number, rule }) => `${number} ${rule}`);
  console.log(
    `${pattern.name}: ${found.length} of ${seeds.length}, ${Math.round(first.ms)} ms${isSame ? '' : ', runs differ'}`,
    ...(early.length > 0 ? [`visible at first: ${early.length}`] : []),
    ...(missing.length > 0 ? [`missing: ${missing.join(', ')}`] : []),
    ...(others.length > 0 ? [`others: ${others.join('\n    ')}`] : []),
    JSON.stringify(first.notes),
  );
}
const unsafe = requests.filter((request) => !request.startsWith('GET ') || /\/(?:followed|sent)/.test(request));
console.log(
  `Found ${foundInAll} of ${all}; ${identical} of ${chosen.length} pages three times identical; ${Math.round(ms / chosen.length)} ms per page.`,
);
console.log(`Requests with other methods, and links and forms: ${unsafe.length} ${unsafe.slice(0, 5).join(', ')}`);
await engine.stop();
await site.stop();
