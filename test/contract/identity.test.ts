import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseVnuOutput } from '../../src/checks/html/vnu-output.ts';
import { unedited } from '../helpers/draft.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import { compareEdited, type FoundOccurrence, occurrencesOf } from '../helpers/identity-measure.ts';
import { EDITS, edit } from '../helpers/page-edits.ts';
import { randomFrom } from '../helpers/random.ts';
import { createSecondIdentity } from '../helpers/second-identity.ts';

/** Fingerprints survive edits of real pages; they and clusters are as docs/contract/fingerprints.md defines them. */

const MODULES = join(import.meta.dirname, '../../node_modules');
const everyNth = (pattern: string, every: number): string[] =>
  globSync(pattern, { cwd: MODULES })
    .sort()
    .filter((_, index) => index % every === 0);
const FILES = [
  ...everyNth('startbootstrap-sb-admin-2/*.html', 7),
  ...everyNth('@tabler/preview/dist/*.html', 28),
  ...everyNth('dygraphs/_site/**/*.html', 40),
];
const URL_OF_PAGES = 'http://identity.test/pages/page.html';
/** Share of untouched occurrences that keep their fingerprint. */
const keptMin = 0.98;

const validate = htmlValidator();

function read(file: string): string {
  return readFileSync(join(MODULES, file), 'utf8').replace(/^\ufeff/, '');
}

async function check(text: string): Promise<FoundOccurrence[]> {
  return occurrencesOf('html', await validate(text), text, URL_OF_PAGES);
}

describe('the fingerprints of occurrences', () => {
  it('survive edits of real pages elsewhere, and no two occurrences of a page share one', async () => {
    const random = randomFrom();
    const sum = { untouched: 0, kept: 0, shared: 0 };
    for (const file of FILES) {
      const text = read(file);
      const occurrences = await check(text);
      for (const name of Object.keys(EDITS)) {
        const edited = edit(name, unedited(text), random);
        if (edited === null) continue;
        const kept = compareEdited(occurrences, edited, await check(edited.text));
        for (const key of ['untouched', 'kept', 'shared'] as const) sum[key] += kept[key];
      }
    }
    assert.ok(sum.untouched > 2_000, `${sum.untouched} occurrences were compared`);
    assert.ok(sum.kept / sum.untouched >= keptMin, `${sum.kept} of ${sum.untouched} have the same fingerprint`);
    assert.equal(sum.shared, 0);
  });

  it('can be computed by another program from their definition', async () => {
    let compared = 0;
    for (const file of FILES) {
      const text = read(file);
      const answer = await validate(text);
      const second = createSecondIdentity('html', text, URL_OF_PAGES);
      const expected = parseVnuOutput(answer).messages.map(({ message, lastLine, lastColumn }) => {
        assert.ok(lastLine !== undefined && lastColumn !== undefined);
        const [kind, at] = [second.kind(message), { line: lastLine, column: lastColumn }];
        return `${second.occurrence(kind, at)} ${second.cluster(second.kind(second.withoutNumbers(message)), at)}`;
      });
      const found = occurrencesOf('html', answer, text, URL_OF_PAGES);
      const occurrences = found.map(({ fingerprint, cluster }) => `${fingerprint} ${cluster}`);
      assert.deepEqual(occurrences.toSorted(), expected.toSorted(), file);
      compared += occurrences.length;
    }
    assert.ok(compared > 300, `${compared} fingerprints were compared`);
  });
});
