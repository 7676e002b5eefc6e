import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readSelector } from '../../src/api/selector-attribute.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { testPool } from '../helpers/browser.ts';

/** A selector is accepted when it is one for the browser that will look for it. */

const VALID = [
  'main',
  '#app .card > h2 + p ~ a[href]',
  'a[href^="https:" i], [data-x="y"], [lang|=en], [class~=b], [a*=b], [a$=b]',
  '*|a, *, |a',
  'main:not(.loading):has(> img, + p)',
  ':is(h1, h2):where(:first-child, :last-of-type)',
  'li:nth-child(2n + 1):nth-last-of-type(odd):nth-of-type(-n+3):nth-last-child(4)',
  ':lang(en) :dir(ltr) input:checked:disabled:focus-within:placeholder-shown',
  'my-element:defined, html:root, p:empty, :target, :popover-open, dialog:modal, details:open',
  '.\\31 23, #a\\:b, .ünï',
  'a:any-link:hover:active:visited:link',
];
const INVALID = [
  'main >',
  '> main',
  'main >> p',
  'a,,b',
  ',a',
  '[a=b',
  '[a!=b]',
  'text=Sign in',
  '//main',
  'css=main',
  ':has-text("x")',
  'p:visible',
  'p:contains(x)',
  'li:eq(2)',
  'li:nth-child(x)',
  'li:nth-child()',
  ':not()',
  ':not',
  ':checked(1)',
  'svg|a',
  'a || b',
  ':has(:has(a))',
  '#',
  '.',
  '.1a',
  '#1a',
  `.${'\\111111'.repeat(30)}!`,
  `[a="${'\\"'.repeat(100)}`,
  '{}',
  'a { color: red }',
  '<main>',
];
/** What browsers take and never find. */
const USELESS = ['p::before', '::slotted(p)'];

describe('a selector', () => {
  const pool = testPool();
  const accepted = new Map<string, boolean>();
  before(async () => {
    await pool.start();
    const request = { purpose: 'check', viewport: DEFAULT_VIEWPORT, cacheGroup: 'css', timeLimitMs: 20_000 } as const;
    await pool.withPage({ ...request, signal: AbortSignal.timeout(30_000) }, async ({ page }) => {
      for (const selector of [...VALID, ...INVALID]) {
        const expression = `(() => { try { document.querySelector(${JSON.stringify(selector)}); return true } catch { return false } })()`;
        accepted.set(selector, (await page.evaluate(expression)) === true);
      }
    });
  });
  after(() => pool.stop());

  for (const selector of VALID) {
    it(`${selector} is accepted`, () => {
      assert.equal(accepted.get(selector), true, 'by the browser');
      assert.deepEqual(readSelector(` ${selector}\n`), { value: selector, problem: null });
    });
  }
  for (const selector of [...INVALID, ...USELESS]) {
    it(`${selector} is refused, with the reason`, () => {
      assert.equal(
        accepted.get(selector) ?? false,
        selector.startsWith('[a=') && !selector.endsWith(']'),
        'browsers forgive what is missing at the end',
      );
      const { problem, remedy } = readSelector(selector);
      assert.equal(problem, 'is not a CSS selector');
      assert.ok(remedy !== undefined && remedy.length > 0);
    });
  }

  it('has at most 256 characters, and none means none', () => {
    assert.equal(readSelector('a'.repeat(256)).problem, null);
    assert.equal(readSelector('a'.repeat(257)).problem, 'must have at most 256 characters');
    for (const none of [null, '', ' ']) assert.deepEqual(readSelector(none), { value: null, problem: null });
  });
});
