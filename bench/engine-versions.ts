import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECK_KINDS } from '../src/checks/registry.ts';
import { occurrencesOf } from '../test/helpers/identity-measure.ts';
import { CORPORA, chosenFiles, openA11yEngine, openValidator } from './checked-pages.ts';

/**
 * Measures how many issue types and occurrences keep their fingerprints when another version of an engine checks the same pages.
 *
 *     npm run bench:versions -- (--save FILE | --against FILE) [--kind html|a11y] [--pages N] [FOLDER ...]
 *
 * Save the findings of the installed version, install the other version, and compare. Of each folder, `--pages` are checked.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: 'string' },
    against: { type: 'string' },
    kind: { type: 'string', default: 'a11y' },
    pages: { type: 'string', default: '10' },
  },
});
const directories = positionals.length > 0 ? positionals : CORPORA;
const kind = CHECK_KINDS.find((name) => name === values.kind) ?? 'a11y';

/** The findings of one version: the messages of issue types by their fingerprints, and the occurrences of each page. */
interface Found {
  readonly kinds: Record<string, string>;
  /** By page: the issue type and the fingerprint of each occurrence. */
  readonly pages: Record<string, readonly (readonly [kind: string, occurrence: string])[]>;
}

const found = await find();
if (values.save !== undefined) await writeFile(values.save, JSON.stringify(found));
if (values.against !== undefined) compare(JSON.parse(await readFile(values.against, 'utf8')), found);

async function find(): Promise<Found> {
  const engine = await (kind === 'html' ? openValidator() : openA11yEngine());
  const all: Found = { kinds: {}, pages: {} };
  try {
    for (const directory of directories) {
      const { check, stop } = await engine.open(directory);
      for (const file of await chosenFiles(directory, Number(values.pages))) {
        const text = (await readFile(join(directory, file), 'utf8')).replace(/^\ufeff/, '');
        // Some pages cannot be checked, such as pages that redirect by script.
        const checked = await check(text, file).catch((error: unknown) => console.log(`${file}: ${error}`));
        if (checked === undefined) continue;
        const occurrences = occurrencesOf(kind, checked.answer, text, checked.url);
        for (const occurrence of occurrences) all.kinds[occurrence.issueTypeFingerprint] = occurrence.kind;
        all.pages[`${basename(directory)}/${file}`] = occurrences.map((occurrence) => [
          occurrence.issueTypeFingerprint,
          occurrence.fingerprint,
        ]);
      }
      await stop();
    }
  } finally {
    await engine.stop();
  }
  return all;
}

function compare(before: Found, now: Found): void {
  const lost = Object.entries(before.kinds).filter(([fingerprint]) => now.kinds[fingerprint] === undefined);
  let [occurrences, kept, ofKeptKinds] = [0, 0, 0];
  const added = new Map<string, number>();
  for (const [page, earlier] of Object.entries(before.pages)) {
    const still = new Set(now.pages[page]?.map(([, occurrence]) => occurrence));
    occurrences += earlier.length;
    kept += earlier.filter(([, occurrence]) => still.has(occurrence)).length;
    ofKeptKinds += earlier.filter(([name]) => now.kinds[name] !== undefined).length;
    const known = new Set(earlier.map(([, occurrence]) => occurrence));
    for (const [name, occurrence] of now.pages[page] ?? []) {
      if (!known.has(occurrence)) added.set(name, (added.get(name) ?? 0) + 1);
    }
  }
  const kinds = Object.keys(before.kinds).length;
  console.log(`${Object.keys(before.pages).length} pages`);
  console.log(`kinds: ${kinds - lost.length} of ${kinds} have the same fingerprint`);
  console.log(
    `occurrences: ${kept} of ${occurrences} have the same fingerprint, ${ofKeptKinds} are of a kind that is still found`,
  );
  for (const [, message] of lost) console.log(`  not found any more: ${message}`);
  for (const [name, count] of added) console.log(`  ${count} new occurrences: ${now.kinds[name]}`);
}
