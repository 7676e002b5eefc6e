import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { NOTATIONS } from '../../src/reports/definition/notations.ts';
import { testPool } from '../helpers/browser.ts';
import { patienceMs } from '../helpers/patience.ts';

const { read } = NOTATIONS.selector;

/** A selector is accepted if the browser accepts it. */

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
  'a  , b',
  'a\n ,\tb',
  ':is(a  )',
  ':is( a , b  ) \n > p  +  q  ~  r',
  ':is():where( )',
  ':lang( \\*-CH )',
  ':nth-child(2n of .x)',
  'li:nth-last-child( even of :is(a, b) , p:has(> b) )',
  'my-element:state(ready)',
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
  'li:nth-child(2n of)',
  'li:nth-child(2nof a)',
  'li:nth-child(2n ofa)',
  'li:nth-of-type(2n of a)',
  ':lang()',
  ':lang(1a)',
  ':lang(de fr)',
  ':lang(de, fr)',
  ':lang("de")',
  ':state()',
  ':state(a, b)',
  'a\vb',
  ':has()',
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
/** Selectors that browsers accept but never match. */
const USELESS = ['p::before', '::slotted(p)'];

/** Parts of selectors, valid and almost valid. */
const FRAGMENTS = [
  ...[
    'a',
    'of',
    '*',
    '|',
    '#b',
    '.c',
    '[d]',
    '[d=',
    '"e"',
    ']',
    'i]',
    '1',
    '-',
    '--',
    '\\',
    '\\31 ',
    'é',
    '\u00a0',
    '\v',
  ],
  ...[
    ' ',
    '  ',
    '\n',
    ',',
    '>',
    '+',
    '~',
    '(',
    ')',
    ':not(',
    ':is(',
    ':where(',
    ':has(',
    ':nth-child(',
    ':nth-of-type(',
  ],
  ...['2n', '+1', 'odd', ' of ', ':lang(', ':state(', ':dir(ltr)', ':', ':hover', '/**/', '{', '&', '@'],
];
const MIXTURES = 20_000;

/** Texts of a few fragments each, the same each time. */
function mixtures(): string[] {
  let state = 1;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const mixture = () => Array.from({ length: 1 + next(7) }, () => FRAGMENTS[next(FRAGMENTS.length)]).join('');
  return Array.from({ length: MIXTURES }, mixture);
}

describe('a selector', () => {
  const pool = testPool();
  const accepted = new Map<string, boolean>();
  const mixed = mixtures()
    .map((text) => text.trim())
    .filter((text) => text !== '' && read(text).problem === null);
  before(async () => {
    await pool.start();
    const request = {
      purpose: 'check',
      viewport: DEFAULT_VIEWPORT,
      cacheGroup: 'css',
      timeLimitMs: patienceMs,
    } as const;
    await pool.withPage({ ...request, signal: AbortSignal.timeout(patienceMs) }, async ({ page }) => {
      const selectors = [...VALID, ...INVALID, ...mixed];
      const answers: readonly boolean[] = JSON.parse(
        String(
          await page.evaluate(`JSON.stringify(${JSON.stringify(selectors)}.map((selector) => {
            try { document.querySelector(selector); return true } catch { return false } }))`),
        ),
      );
      for (const [index, selector] of selectors.entries()) accepted.set(selector, answers[index] === true);
    });
  });
  after(() => pool.stop());

  for (const selector of VALID) {
    it(`${selector} is accepted`, () => {
      assert.equal(accepted.get(selector), true, 'by the browser');
      assert.deepEqual(read(` ${selector}\n`), { value: selector, problem: null });
    });
  }
  for (const selector of [...INVALID, ...USELESS]) {
    it(`${selector} is rejected with the reason`, () => {
      assert.equal(
        accepted.get(selector) ?? false,
        selector.startsWith('[a=') && !selector.endsWith(']'),
        'browsers accept a selector without its end',
      );
      const { problem, remedy } = read(selector);
      assert.equal(problem, 'is not a CSS selector');
      assert.ok(remedy !== undefined && remedy.length > 0);
    });
  }

  it('is never accepted if browsers reject it', () => {
    assert.ok(mixed.length > 500, `${mixed.length} of the mixtures are selectors`);
    assert.deepEqual(
      mixed.filter((selector) => accepted.get(selector) !== true),
      [],
    );
  });

  it('has at most 256 characters, and blank means none', () => {
    assert.equal(read('a'.repeat(256)).problem, null);
    assert.equal(read('a'.repeat(257)).problem, 'must have at most 256 characters');
    for (const none of [null, '', ' ']) assert.deepEqual(read(none), { value: null, problem: null });
  });
});
