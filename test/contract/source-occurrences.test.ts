import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseVnuOutput } from '../../src/checks/html/vnu-output.ts';
import { elementAt, parseSource } from '../../src/page-source/source-tree.ts';
import { decodeDocument } from '../../src/spider/decode-document.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import { SPECIAL_TEXTS } from '../helpers/special-texts.ts';

/** The source tree finds, for the occurrences that the validator reports, the elements that its messages name. */

const MODULES = join(import.meta.dirname, '../../node_modules');
const FILES = [
  ...globSync('startbootstrap-sb-admin-2/*.html', { cwd: MODULES }),
  ...globSync('@tabler/preview/dist/*.html', { cwd: MODULES }).filter((_, index) => index % 10 === 0),
  ...globSync('dygraphs/_site/**/*.html', { cwd: MODULES }).filter((_, index) => index % 10 === 0),
];
const START = '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>';
/** Messages about a start tag, most with the name of its element. */
const ABOUT_TAG = [
  /^Element “(.+?)” (?:not allowed as|is missing required attribute) ?/,
  /^(?:Attribute|Bad value) .* on element “(.+?)”/,
  /^The “.+?” attribute on the “(.+?)” element is obsolete/,
  /^The “.+?” attribute must not be specified on any “(.+?)” element/,
  /^An “(.+?)” element must have an “alt” attribute/,
  /^Trailing slash on void elements/,
];

const validate = htmlValidator();

/** Returns the number of occurrences that were compared. */
async function compare(file: string, body: Buffer): Promise<number> {
  const contentType = 'text/html; charset=utf-8';
  const { messages } = parseVnuOutput(await validate(body));
  const tree = parseSource(decodeDocument(body, contentType));
  assert.ok(tree !== null);
  let compared = 0;
  for (const { message, lastLine, lastColumn } of messages) {
    const about = ABOUT_TAG.map((pattern) => pattern.exec(message)).find((match) => match !== null);
    if (about === undefined || lastLine === undefined || lastColumn === undefined) continue;
    const offset = tree.lines.offsetOf({ line: lastLine, column: lastColumn });
    const found = elementAt(tree, offset);
    const name = about[1] ?? found?.name;
    assert.deepEqual([found?.name, found?.startTagEnd], [name, offset + 1], `${file}:${lastLine}: ${message}`);
    compared += 1;
  }
  return compared;
}

describe('occurrences of the validator', () => {
  it('match the elements on real pages', async () => {
    let compared = 0;
    for (const file of FILES) compared += await compare(file, readFileSync(join(MODULES, file)));
    assert.ok(compared > 1_500, `${compared} occurrences were compared`);
  });

  it('are counted alike, regardless of what comes before them', async () => {
    for (const [index, before] of SPECIAL_TEXTS.entries()) {
      const tag = `<p title="${before}" nonsense${before.replace(/[^\r\n]/g, '')}>`;
      const body = Buffer.from(`${START}${before}${tag}${before}${tag}`);
      assert.equal(await compare(`special ${index}`, body), 2);
      assert.equal(await compare(`marked ${index}`, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body])), 2);
    }
  });
});
