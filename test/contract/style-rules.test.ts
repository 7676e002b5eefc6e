import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { StyleRule } from '../../packages/client/occurrences.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { STYLE_RULE_LIMITS } from '../../src/checks/a11y/limits.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { parseSource } from '../../src/page-source/source-tree.ts';
import { fetchDocument, recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The style rule that sets the color of a text with insufficient contrast is found as the browser applies it. */

const STYLE = `
  @layer low { #layered { color: #999 } }
  body { color: #777 }
  .pale { color: #999; transition: color 5s }
  p.pale.more { color: #aaa }
  .strong { color: #999 !important }
  main .strong#strong { color: #000 }
  .outer { & .nested { color: #999 } }
  @media print { p.screen { color: #000 } }
  @media screen { .screen { color: #999 } }`;
const TEXTS = `
  <p id=inherited>Text a</p><p id=pale class=pale>Text b</p><p id=more class="pale more">Text c</p><p id=strong class=strong>Text d</p>
  <p id=layered>Text e</p><p class=screen id=screen>Text f</p><div class=outer><p class=nested id=nested>Text g</p></div>
  <p id=inline style="color:#999">Text h</p><p id=own class=own>Text i</p><p id=imported class=imported>Text j</p>
  <p id=adopted class=adopted>Text k</p><p id=other class=other>Text l</p>
  <script>const s = new CSSStyleSheet(); s.replaceSync('.adopted{color:#999}'); document.adoptedStyleSheets = [s]</script>`;
const pageWith = (styles: string, texts: string): string =>
  `<!DOCTYPE html><html lang=en><head><title>t</title><style>body { background: #ddd } .own { color: #999 }</style>${styles}` +
  `<body><main><h1 style="color:#000">Page</h1>${texts}</main>`;
const cacheable = (body: string) => ({ headers: { 'content-type': 'text/css', 'cache-control': 'max-age=60' }, body });
const css = (body: string) => ({ headers: { 'content-type': 'text/css' }, body });

const children = recordChildren();
const engine = createA11yEngine({ pool: testPool({ children }), limits: PATIENT_PAGES });
let site: TestSite;
let other: TestSite;

before(async () => {
  other = await startTestSite({ '/other.css': css('.other { color: #999 }') });
  const links = `<link rel=stylesheet href=/style.css?1><link rel=stylesheet href="${other.origin}/other.css">`;
  const elements = Array.from({ length: 500 }, (_, index) => `e${index}`);
  const many = Array.from({ length: 20_001 }, (_, index) => `.r${index}{color:#999}`).join('');
  site = await startTestSite({
    '/': { body: pageWith(links, TEXTS) },
    '/style.css': css(`@import '/imported.css';${STYLE}`),
    '/imported.css': css('.imported { color: #999 }'),
    '/colors': {
      body: pageWith(
        `<link rel=stylesheet href=/colors.css>
<style>
  .own { color: #999 } .deep { --far: #9a9a9a } .deep p { color: var(--near) }
</style><script>const made = document.createElement('style'); made.textContent = '.made { color: #999 }'; document.head.append(made)</script>`,
        `<p id=own class=own>Text a</p><p id=made class=made>Text b</p><p id=twice class=twice>Text c</p><p id=variable class=variable>Text d</p>
        <section style="--near: var(--far)" class=deep><p id=inline>Text e</p></section><p id=channels class=channels>Text f</p><p id=mixed class=mixed>Text n</p><div class=inheriting><p id=inherits class=inherits>Text o</p></div>
        <div class=dark><p id=white class=white>Text g</p></div><p id=shorthand class=shorthand>Text h</p><p id=faint class=faint>Text i</p>
        <p id=gray class=gray>Text j</p><div class=card><p id=card class=gray>Text k</p></div><div class=redefined><p id=redefined class=variable>Text l</p></div>
        <div class=middle><p id=middle class=gray>Text m</p></div>
        <p id=attribute style="color: var(--muted)">Text p</p><div style="color: var(--muted)"><p id=within>Text q</p></div>`,
      ),
    },
    '/colors.css': cacheable(`:root { --muted: var(--palette); --palette: #949494; --rgb: 150, 150, 150; --pale: #eee }
@media screen { .twice { color: #989898 } }
.other, .twice { margin: 0 }  .twice { color: #999 }
.variable { color: var(--muted, red) } .channels { color: rgba(var(--rgb), 1) }
.dark { background: #18a2b8 no-repeat } .white { color: #fff }
.shorthand { background: var(--pale) none; color: #999 }
.faint { opacity: .5; color: #000 }
.gray { color: #909090 } .card { background-color: #e0e0e0 } .middle { background: #333 }
.redefined { --muted: #979797 }
.mixed { color: color-mix(in srgb, var(--palette) calc(var(--full, 1) * 100%), transparent) }
.inheriting { color: #999 } p.inherits { color: inherit }`),
    '/many': { body: pageWith(`<style>${many}</style>`, '<p class=r5>Text a</p>') },
    '/long': { body: pageWith(`<style>p${':not(#x)'.repeat(200)} { color: #999 }</style>`, '<p>Text a</p>') },
    '/pairs': {
      body: pageWith(`<style>p, .${'x'.repeat(195)}\\1f600\\1f600 { color: #999 }</style>`, '<p>Text a</p>'),
    },
    '/urls': {
      body: pageWith(
        `<link rel=stylesheet href="data:text/css,.data{color:%23999}/*${'x'.repeat(100_000)}*/">
          <link rel=stylesheet href="/long.css?${'x'.repeat(10_000)}"><link rel=stylesheet href=/outer.css>`,
        '<p id=data class=data>Text a</p><p id=long class=long>Text b</p><p id=inner class=inner>Text c</p>',
      ),
    },
    [`/long.css?${'x'.repeat(10_000)}`]: css('.long { color: #999 }'),
    '/outer.css': css("@import 'data:text/css,.inner{color:%23999}';"),
    '/much': {
      body: pageWith(
        `<style>${elements.map((id) => `#${id}${':not(#x)'.repeat(30)} { color: #999 }`).join('')}</style>`,
        elements.map((id) => `<p id=${id}>Text</p>`).join(''),
      ),
    },
    '/hostile': {
      body: pageWith(
        '<style>p { color: #999 }</style>',
        `<p>Text a</p><script>
          CSSStyleDeclaration.prototype.setProperty = Element.prototype.matches = () => { throw 1 };
          getComputedStyle = performance.now = document.adoptedStyleSheets = null</script>`,
      ),
    },
  });
  await engine.start();
});
after(async () => {
  await engine.stop();
  await site?.stop();
  await other?.stop();
});

/** Returns the texts of a page with insufficient contrast, by the ids or tags of their elements. */
async function textsOf(path: string, cacheGroup = 'report') {
  const url = `${site.origin}${path}`;
  const input = { document: await fetchDocument(url), viewport: DEFAULT_VIEWPORT, cacheGroup };
  const tree = parseSource(Buffer.from(input.document.body).toString());
  const { issues } = A11Y.interpret(await engine.collect(input, AbortSignal.timeout(patienceMs)), url, () => tree);
  const contrast = issues.filter(({ ruleId, type }) => ruleId === 'color-contrast' && type === 'error');
  const causes = contrast.flatMap((issue) => A11Y.issues.occurrenceClues(issue).map(({ cause }) => cause));
  const found = contrast.flatMap((issue) => A11Y.issues.shownOccurrences(issue));
  return found.map((text, index) => ({
    ...text,
    id: /id="(\w+)"/.exec(text.markup)?.[1] ?? 'p',
    group: causes[index],
  }));
}

/** Returns the style rules of the texts of a page. */
async function rulesOf(path: string): Promise<Record<string, string | null>> {
  const found = await textsOf(path);
  return Object.fromEntries(
    found.map(({ id, styleRule: rule }) => [
      id,
      rule && `${rule.selector} ${rule.url === null ? 'page' : rule.url.replace(site.origin, '')}`,
    ]),
  );
}

/** Returns the declaration of a color with its position: `.muted { color: #777777 } style.css:12:1`. */
function declaration(rule: StyleRule | null): string | null {
  if (rule === null) return null;
  const { selector, property, value, line, column } = rule;
  return `${selector} { ${property}: ${value} } ${rule.url?.replace(site.origin, '') ?? 'page'}:${line}:${column}`;
}

describe('the style rule of a color', () => {
  it('is the rule that wins the cascade', async () => {
    assert.deepEqual(await rulesOf('/'), {
      inherited: 'body /style.css?1',
      pale: '.pale /style.css?1',
      more: 'p.pale.more /style.css?1',
      strong: '.strong /style.css?1',
      layered: '#layered /style.css?1',
      screen: '.screen /style.css?1',
      nested: '& .nested /style.css?1',
      inline: null,
      own: '.own page',
      imported: '.imported /imported.css',
      adopted: '.adopted page',
      // The page may not read a style sheet of another origin.
      other: null,
    });
  });

  it('is null on a page with too many rules, and bounded', async () => {
    assert.deepEqual(await rulesOf('/many'), { p: null });
    const [rule = ''] = Object.values(await rulesOf('/long'));
    assert.equal(rule?.length, STYLE_RULE_LIMITS.selectorMaxCharacters + ' page'.length);
  });

  it('never ends in half of a character', async () => {
    assert.deepEqual(await rulesOf('/pairs'), { p: `p, .${'x'.repeat(195)} page` });
  });

  it('has a URL of limited length, and none if its style sheet is in one', async () => {
    const { data, long, inner } = await rulesOf('/urls');
    assert.deepEqual([data, inner], ['.data page', '.inner /outer.css']);
    const expected = `${site.origin}/long.css?${'x'.repeat(10_000)}`.slice(0, STYLE_RULE_LIMITS.urlMaxCharacters);
    assert.equal(long, `.long ${expected.replace(site.origin, '')}`);
  });

  it('is null for the elements after the limit of all rules together', async () => {
    const rules = Object.values(await rulesOf('/much'));
    const { totalMaxCharacters, selectorMaxCharacters } = STYLE_RULE_LIMITS;
    const known = rules.filter((rule) => rule !== null).length;
    assert.ok(known > 0 && known * selectorMaxCharacters < totalMaxCharacters);
    assert.deepEqual(
      rules.map((rule) => rule !== null),
      rules.map((_, index) => index < known),
    );
    assert.ok(rules.length > known);
  });

  it('has its line, the custom property that has the color, and the rule of the background', async () => {
    const found = await textsOf('/colors');
    const colors = found.map(({ id, styleRule, backgroundRule, editedColor }) => [
      id,
      [declaration(styleRule), declaration(backgroundRule), editedColor],
    ]);
    const body = 'body { background-color: #dddddd } page:1:59';
    const sheet = '/colors.css';
    assert.deepEqual(Object.fromEntries(colors), {
      own: ['.own { color: #999999 } page:3:3', body, 'text'],
      // A script created the style element.
      made: ['.made { color: #999999 } page:null:null', body, 'text'],
      twice: [`.twice { color: #999999 } ${sheet}:3:31`, body, 'text'],
      variable: [`:root { --palette: #949494 } ${sheet}:1:1`, body, 'text'],
      // A `style` attribute defines the custom property.
      inline: ['.deep p { color: var(--near) } page:3:49', body, 'text'],
      channels: [`:root { --rgb: 150, 150, 150 } ${sheet}:1:1`, body, 'text'],
      mixed: [`:root { --palette: #949494 } ${sheet}:1:1`, body, 'text'],
      inherits: [`.inheriting { color: #999999 } ${sheet}:11:1`, body, 'text'],
      white: [
        `.white { color: #ffffff } ${sheet}:5:41`,
        `.dark { background-color: #18a2b8 } ${sheet}:5:1`,
        'background',
      ],
      shorthand: [`.shorthand { color: #999999 } ${sheet}:6:1`, `:root { --pale: #eee } ${sheet}:1:1`, 'text'],
      // Neither color suffices as long as the text is half transparent.
      faint: [`.faint { color: #000000 } ${sheet}:7:1`, body, null],
      gray: [`.gray { color: #909090 } ${sheet}:8:1`, body, 'text'],
      card: [`.gray { color: #909090 } ${sheet}:8:1`, `.card { background-color: #e0e0e0 } ${sheet}:8:26`, 'text'],
      // The custom property in a `style` attribute is defined in a style sheet.
      attribute: [`:root { --palette: #949494 } ${sheet}:1:1`, body, 'text'],
      within: [`:root { --palette: #949494 } ${sheet}:1:1`, body, 'text'],
      redefined: [`.redefined { --muted: #979797 } ${sheet}:9:1`, body, 'text'],
      middle: [`.gray { color: #909090 } ${sheet}:8:1`, `.middle { background-color: #333333 } ${sheet}:8:62`, 'text'],
    });
    const group = Object.fromEntries(found.map(({ id, group }) => [id, group]));
    assert.equal(group['gray'], group['card'], 'one declaration, several backgrounds');
    assert.notEqual(group['gray'], group['middle'], 'it has to become darker for one text, and lighter for the other');
    assert.notEqual(group['variable'], group['redefined']);
    assert.equal(group['variable'], group['mixed'], 'one custom property');
    assert.equal(group['variable'], group['attribute'], 'one custom property');
    assert.equal(group['faint'], '#6f6f6f on #dddddd');
  });

  it('does not require style sheets again that the browser may keep', async () => {
    const count = () => site.requests.filter(({ url }) => url === '/colors.css').length;
    const before = count();
    await textsOf('/colors?again', 'another report');
    assert.equal(count() - before, 1);
  });

  it('is found on a page whose scripts replace what it is found with', async () => {
    assert.deepEqual(await rulesOf('/hostile'), { p: 'p page' });
  });
});
