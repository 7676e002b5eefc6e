import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CheckKind } from '../src/domain/check.ts';
import { type EditedDocument, unedited } from '../test/helpers/draft.ts';
import { compareEdited, type FoundOccurrence, type Kept, occurrencesOf } from '../test/helpers/identity-measure.ts';
import { EDITS, edit, REWRITES, release } from '../test/helpers/page-edits.ts';
import { randomFrom } from '../test/helpers/random.ts';
import { CORPORA, chosenFiles, type OpenEngine, openA11yEngine, openValidator } from './checked-pages.ts';

/**
 * Measures how many occurrences of issues keep their fingerprints when real pages are edited. Fails below the goal, and if two
 * occurrences of a page share a fingerprint.
 *
 *     npm run bench:identity [-- [--pages N] [--a11y N] [--minutes N] [--seed N] FOLDER ...]
 *
 * Of each folder, `--pages` are checked by the HTML validator, and `--a11y` by axe, which takes a second for each edit: after
 * `--minutes`, the rest of a folder's pages are left out.
 */

const RELEASE = 'ten random edits';
const releaseEdits = 10;
/** Share of untouched occurrences that must be recognized. */
const goal = 0.98;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: 'string', default: '20' },
    a11y: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const directories = positionals.length > 0 ? positionals : CORPORA;
const folderMs = (Number(values.minutes) * 60_000) / directories.length;

interface Sum extends Kept {
  readonly pages: number;
  /** The time for interpreting the output, in ms. */
  readonly ms: number;
}

if (Number(values.pages) > 0) await measure('html', Number(values.pages), await openValidator());
if (Number(values.a11y) > 0) await measure('a11y', Number(values.a11y), await openA11yEngine());

/** Edits pages of each folder in all ways, and prints a table. */
async function measure(kind: CheckKind, pages: number, engine: OpenEngine): Promise<void> {
  const sums = new Map<string, Sum>();
  const random = randomFrom(Number(values.seed));
  try {
    for (const directory of directories) {
      const deadline = performance.now() + folderMs;
      const { check, stop } = await engine.open(directory);
      for (const file of await chosenFiles(directory, pages)) {
        if (performance.now() > deadline) break;
        const text = (await readFile(join(directory, file), 'utf8')).replace(/^\ufeff/, '');
        const first = await check(text, file);
        const before = occurrencesOf(kind, first.answer, text, first.url);
        for (const name of [...Object.keys({ ...EDITS, ...REWRITES }), RELEASE]) {
          const edited = name === RELEASE ? release(text, random, releaseEdits) : edit(name, unedited(text), random);
          if (edited === null) continue;
          const { answer, url } = await check(edited.text, file);
          add(sums, name, measureEdit(kind, before, edited, { answer, url }));
        }
      }
      await stop();
    }
  } finally {
    await engine.stop();
  }
  report(kind, sums);
}

function measureEdit(
  kind: CheckKind,
  before: readonly FoundOccurrence[],
  edited: EditedDocument,
  { answer, url }: { readonly answer: Uint8Array; readonly url: string },
): Sum {
  const started = performance.now();
  const after = occurrencesOf(kind, answer, edited.text, url);
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
  console.log(
    '| edit | pages | untouched | same | recognized | wrongly new, fixed, persisting | edited | followed | shared | ms a page |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const [name, sum] of sums) {
    const wrong = `${sum.falseNew}, ${sum.falseFixed}, ${sum.falsePersisting}`;
    const shares = `${percent(sum.kept / sum.untouched)} | ${percent(sum.matched / sum.untouched)}`;
    const time = (sum.ms / sum.pages).toFixed(1);
    console.log(
      `| ${name} | ${sum.pages} | ${sum.untouched} | ${shares} | ${wrong} | ${sum.edited} | ${sum.followed} | ${sum.shared} | ${time} |`,
    );
  }
  const all = sums.get('all');
  // Without any occurrence, the share is not a number.
  if (all === undefined || !(all.matched / all.untouched >= goal) || all.shared > 0) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`;
}
