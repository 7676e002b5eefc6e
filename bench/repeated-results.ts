/**
 * Checks the accessibility of the same pages several times while all cores are busy, and prints the pages whose result differs.
 * Exits with 1 when there is one.
 *
 *   npm run bench:repeated -- [--directory DIR] [--pages N] [--rounds N] [--busy N] [--at-a-time N] [--only PART_OF_PATH]
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { CORPORA, chosenFiles, openA11yEngine } from './checked-pages.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: CORPORA[2] ?? '' },
    pages: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    busy: { type: 'string', default: '4' },
    'at-a-time': { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
  },
});
const files = (await chosenFiles(values.directory, Number(values.pages))).filter((file) => file.includes(values.only));
const rounds = Number(values.rounds);
console.log(`${files.length} pages, ${rounds} rounds, ${values.busy} busy threads\n`);

const busy = Array.from({ length: Number(values.busy) }, () => new Worker('for (;;);', { eval: true }));
const engine = await openA11yEngine();
const site = await engine.open(values.directory);
const first = new Map<string, readonly string[]>();
let differences = 0;
for (let round = 1; round <= rounds; round += 1) {
  const waiting = files.values();
  const work = async (): Promise<void> => {
    for (const file of waiting) {
      const { answer } = await site.check(await readFile(join(values.directory, file), 'utf8'), file);
      compare(round, file, linesOf(answer));
    }
  };
  await Promise.all(Array.from({ length: Number(values['at-a-time']) }, work));
  console.log(`round ${round}: ${differences} differences so far`);
}
await site.stop();
await engine.stop();
await Promise.all(busy.map((worker) => worker.terminate()));
if (differences > 0) process.exitCode = 1;

interface Rule {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly any: readonly { readonly message: string }[] }[];
}

/** Returns a line for each finding, and for each note. */
function linesOf(answer: Uint8Array): readonly string[] {
  const { found, notes } = JSON.parse(Buffer.from(answer).toString());
  const lines = (kind: string, rules: readonly Rule[]): string[] =>
    rules.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${kind} ${id} ${JSON.stringify(node.target)} ${node.any[0]?.message ?? ''}`),
    );
  return [
    ...notes.map((note: unknown) => `note ${JSON.stringify(note)}`),
    ...lines('violation', found.results.violations),
    ...lines('incomplete', found.results.incomplete),
  ];
}

function compare(round: number, file: string, lines: readonly string[]): void {
  const before = first.get(file);
  first.set(file, before ?? lines);
  if (before === undefined || before.join('\n') === lines.join('\n')) return;
  differences += 1;
  console.log(`round ${round}, ${file}: ${before.length} lines, now ${lines.length}`);
  for (const line of before) if (!lines.includes(line)) console.log(`  - ${line.slice(0, 300)}`);
  for (const line of lines) if (!before.includes(line)) console.log(`  + ${line.slice(0, 300)}`);
}
