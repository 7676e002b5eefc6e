import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { HtmlOccurrence } from '../../packages/client/occurrences.ts';
import { interpretVnuOutput } from '../../src/checks/html/interpret.ts';
import { parseVnuOutput } from '../../src/checks/html/vnu-output.ts';
import { decodeDocument } from '../../src/spider/decode-document.ts';
import { sourceLines } from '../../web/src/lib/source-lines.ts';
import { validatorRange } from '../../web/src/lib/source-occurrences.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import { SPECIAL_TEXTS } from '../helpers/special-texts.ts';

/** The dashboard marks in the source exactly what the validator highlights in its extracts. */

const MODULES = join(import.meta.dirname, '../../node_modules');
const FILES = [
  ...globSync('startbootstrap-sb-admin-2/*.html', { cwd: MODULES }),
  ...globSync('html5-boilerplate/dist/*.html', { cwd: MODULES }),
  ...globSync('@tabler/preview/dist/*.html', { cwd: MODULES }).filter(
    (file, index) => index % 10 === 0 || /form/.test(file),
  ),
];
const START = '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>';
/** References count as they are written. */
const SPECIAL = [...SPECIAL_TEXTS, '&amp;&nosuch;&'];

const validate = htmlValidator();

/** Returns the number of occurrences that were compared. */
async function compare(file: string, body: Buffer): Promise<number> {
  const contentType = 'text/html; charset=utf-8';
  const output = parseVnuOutput(await validate(body));
  const lines = sourceLines(decodeDocument(body, contentType));
  const occurrences = interpretVnuOutput(output, file).flatMap(
    ({ occurrences }) => occurrences as unknown as readonly HtmlOccurrence[],
  );
  let compared = 0;
  for (const occurrence of occurrences) {
    const { hilite_start: start, hilite_length: length } = occurrence.coordinates;
    const range = validatorRange(lines, occurrence);
    if (range === null) continue;
    assert.equal(
      lines.text.slice(range.from, range.to).replace(/\r\n?/g, '\n'),
      occurrence.extract.slice(start, start + length),
      `${file}: ${JSON.stringify(occurrence)}`,
    );
    compared += 1;
  }
  assert.equal(compared, occurrences.filter(({ coordinates }) => coordinates.last_line > 0).length);
  return compared;
}

describe('what the dashboard marks', () => {
  it('is what the validator highlights on real pages', async () => {
    let compared = 0;
    for (const file of FILES) compared += await compare(file, readFileSync(join(MODULES, file)));
    assert.ok(compared > 1_500, `${compared} occurrences were compared`);
  });

  it('is the same regardless of what comes before, in and after an occurrence', async () => {
    for (const [index, before] of SPECIAL.entries()) {
      const tag = `<p title="${before}" nonsense${before.replace(/[^\r\n]/g, '')}>`;
      const body = Buffer.from(`${START}${before}${tag}${before}${tag}${before}</div>`);
      assert.ok((await compare(`special ${index}`, body)) >= 3);
      assert.ok((await compare(`marked ${index}`, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body]))) >= 3);
    }
  });
});
