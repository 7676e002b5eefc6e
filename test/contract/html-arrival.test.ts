import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { interpretVnuAnswer } from '../../src/checks/html/interpret.ts';
import { createVnuServer } from '../../src/checks/html/vnu-server.ts';
import type { FoundIssue } from '../../src/domain/check.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';
import { quietLog, recordChildren } from '../helpers/browser.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';

/** What the HTML check finds does not depend on how the bytes of a document arrive at the validator. */

const ROW =
  '  <p>caf\u00e9 \u{1f600} <b>and</b>\n    <br />\n    <img src="a.png"\r\n      class="a" class="b"><center>old</center></p>\n';
const DOCUMENT = `<!DOCTYPE html>\n<html lang="en"><head><title>Sample</title></head><body>\n${ROW.repeat(3)}</body></html>\n`;
/** Longer than the validator takes to read what has arrived. */
const BETWEEN_PARTS_MS = 40;

describe('the HTML check of a document', () => {
  const own = createVnuServer({ children: recordChildren(), logger: quietLog });
  let url: string;
  before(async () => {
    const { SITEWARDEN_VNU_URL: shared } = await sharedValidator();
    if (shared === undefined) await own.start();
    url = shared ?? `http://127.0.0.1:${own.current()?.port}`;
  });
  after(() => own.stop());

  /** Sends the document in parts, and returns the findings in the response. */
  async function check(parts: readonly string[]): Promise<readonly FoundIssue[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const headers = { 'content-type': 'text/html; charset=utf-8', 'user-agent': 'sitewarden' };
    const sent = request(new URL('/?out=json', url), { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    sent.on('error', reject);
    for (const [index, part] of parts.entries()) {
      if (index > 0) await delay(BETWEEN_PARTS_MS);
      sent.write(part);
    }
    sent.end();
    return interpretVnuAnswer(await promise, 'https://example.org/', () => parseSource(DOCUMENT)).issues;
  }

  it('is the same for any parts', async () => {
    const whole = await check([DOCUMENT]);
    assert.ok(whole.length >= 4);
    const ways = {
      'after each tag': DOCUMENT.split(/(?<=>)/),
      'before each tag': DOCUMENT.split(/(?=<)/),
      'after each line break': DOCUMENT.split(/(?<=\n)/),
      'after each space': DOCUMENT.split(/(?<= )/),
    };
    const found = Object.entries(ways).map(async ([way, parts]) => [way, await check(parts)] as const);
    for (const [way, issues] of await Promise.all(found)) assert.deepEqual(issues, whole, way);
  });
});
