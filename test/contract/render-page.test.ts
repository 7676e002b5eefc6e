import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { BrowserPool } from '../../src/browser/browser-pool.ts';
import { killHard } from '../../src/browser/chromium-process.ts';
import { createPageRenderer, type Rendering, type RenderPage } from '../../src/crawling/rendering/render-page.ts';
import type { FetchedDocument } from '../../src/domain/check.ts';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import type { AddressGuard } from '../../src/egress/address-guard.ts';
import { startBrowserProxy } from '../../src/egress/browser-proxy.ts';
import { recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The links of a page after its scripts have run, and pages that make finding them hard. */

const HEAD = '<!DOCTYPE html><html lang=en><title>Sent</title>';
const LATER = 'await new Promise((done) => setTimeout(done, 20));';

/** Each page with the links that are found in it, in order. */
const PAGES: Readonly<Record<string, readonly [body: string, links: readonly string[]]>> = {
  'links of scripts, data, shadow roots and frames, in document order, each once': [
    // Links that a script makes.
    `<a href=/sent>x</a><nav></nav><a href=last>y</a>
     <script>document.querySelector('nav').innerHTML = '<a href="/made?x=ü#top">1</a><a href=/sent#a>2</a><a href="mailto:a@b.c">3</a><map><area href=area></map>'</script>` +
      // Links of data that is fetched.
      `<main></main><script type=module>const { paths } = await (await fetch('/data')).json(); ${LATER}
     document.querySelector('main').append(...paths.map((path) => Object.assign(document.createElement('a'), { href: path })))</script>` +
      // Links in open shadow roots, nested and declared.
      `<a href=/before>x</a><x-menu><a href=/light>x</a></x-menu><div><template shadowrootmode=open><a href=/declared>x</a></template></div>
     <script>customElements.define('x-menu', class extends HTMLElement { connectedCallback() {
       const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<a href=/shadow>x</a><div></div><slot></slot>';
       root.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '<a href=/deeper>x</a>';
       document.body.append(document.createElement('p')); document.body.lastChild.attachShadow({ mode: 'closed' }).innerHTML = '<a href=/closed>x</a>' } })</script>` +
      // Links in frames of the same origin.
      `<iframe src=/frames/inner></iframe><iframe srcdoc="<a href=srcdoc>x</a>"></iframe><iframe sandbox src=/frames/inner></iframe>
     <object data=/frames/object></object><iframe src="http://localhost:PORT/frames/inner"></iframe><a href=after>x</a>` +
      // Links that come when the page is scrolled to them.
      `<div style="height:5000px"></div><section></section><script>new IntersectionObserver(([entry]) => {
       if (entry.isIntersecting) document.querySelector('section').innerHTML = '<a href=/lazy>x</a>' }).observe(document.querySelector('section'))</script>` +
      // Links of a script that fails, in a page that asks, prompts, prints, opens windows and holds back.
      `<aside></aside><script>document.querySelector('aside').innerHTML = '<a href=/in-time>x</a>'; throw new Error('broken')</script>
     <script>Promise.reject(new Error('broken'))</script>
     <script>onbeforeunload = () => 'stay'; alert(1); confirm(2); prompt(3); print(); window.open('/window'); window.close()</script><a href=/there>x</a>`,
    [
      ...[
        '/sent',
        '/made?x=%C3%BC',
        '/area',
        '/last',
        '/one',
        '/two',
        '/before',
        '/shadow',
        '/deeper',
        '/light',
        '/declared',
      ],
      ...['/frames/relative', '/srcdoc', '/frames/of-object', '/after', '/lazy', '/in-time', '/there'],
    ],
  ],
  'routes that the page pushes, after its links': [
    `<a href=relative>x</a><script>history.pushState(1, '', '/app/first'); history.replaceState(2, '', '/app/second#part'); history.pushState(3, '', '?q');
     location.hash = 'here'</script>`,
    ['/app/relative', '/app/first', '/app/second', '/app/second?q'],
  ],
  'the base that a script sets, and links in SVG': [
    `<script>document.head.append(Object.assign(document.createElement('base'), { href: '/base/' }))</script>
     <a href=x>x</a><svg><a href=svg><text>x</text></a><a xlink:href=old /></svg><template><a href=inert>x</a></template>`,
    ['/base/x', '/base/svg'],
  ],
  'a document whose names hide its own properties': [
    `<form><input name=localName><input name=shadowRoot><input name=childNodes><input name=getAttribute><a href=/in-form>x</a></form>
     <img name=querySelectorAll><img name=documentElement><img name=baseURI><img name=title><img name=createTreeWalker>
     <script>Element.prototype.getAttribute = () => '/forged'; JSON.stringify = () => '{}'; Array.prototype.at = () => 0;
     Document.prototype.querySelectorAll = () => []; Object.getOwnPropertyDescriptor = () => ({}); String.prototype.split = () => ['/forged']</script>`,
    ['/in-form'],
  ],
  'a page that leads elsewhere once it is there': [
    `<a href=/stays>x</a><script>onload = () => { location = '/elsewhere' }</script>`,
    ['/stays', '/elsewhere'],
  ],
  'a page that leads elsewhere by refresh': [
    `<meta http-equiv=refresh content="0;url=/refreshed"><a href=/stays>x</a>`,
    ['/stays', '/refreshed'],
  ],
  'a page that leads elsewhere before it is there': [
    `<script>location = '/before-all'</script><a href=/never-seen>x</a>`,
    ['/before-all'],
  ],
  'no address that is longer than a URL may be, wherever the page leads': [
    `<script>location = '/next?' + 'f'.repeat(12_000)</script><a href=/never-seen>x</a>`,
    [],
  ],
};

/** Each of these fails with a reason that describes the page's problem. */
const UNRENDERABLE: Readonly<Record<string, readonly [body: string, reason: RegExp]>> = {
  'whose script runs without end': ['<a href=/x>x</a><script>for (;;);</script>', /runs endlessly/],
  'that puts another in its place': ["<script>location = 'about:blank'</script>", /replaced it .*about:blank/],
};

let site: TestSite;
const children = recordChildren();
let pool: BrowserPool;
let renderPage: RenderPage;
/** For pages that never settle. */
let impatient: RenderPage;
/** For pages that hang. */
let hasty: RenderPage;
let kills = 0;

function documentOf(body: string, path = '/page'): FetchedDocument {
  const contentType = 'text/html; charset=utf-8';
  const headers = [['content-type', contentType]] as const;
  const text = body.replaceAll('PORT', new URL(site.origin).port);
  return { url: `${site.origin}${path}`, httpStatus: 200, contentType, headers, body: Buffer.from(HEAD + text) };
}

function render(document: FetchedDocument, by = renderPage): Promise<Rendering> {
  return by(document, { cacheGroup: 'report', waitFor: null, signal: AbortSignal.timeout(patienceMs) });
}

async function linksOf(body: string, by = renderPage): Promise<string[]> {
  const rendering = await render(documentOf(body), by);
  assert.equal(rendering.kind, 'rendered', JSON.stringify(rendering));
  return rendering.found.links.map((url) => url.replace(site.origin, ''));
}

before(async () => {
  site = await startTestSite({
    '/data': (_request, response) => void setTimeout(() => response.end('{"paths":["/one","/two"]}'), 50),
    '/frames/inner': '<!DOCTYPE html><title>x</title><a href=relative>x</a>',
    '/frames/object': '<!DOCTYPE html><title>x</title><a href=of-object>x</a>',
    '/never': () => undefined,
    '/kills': (_request, response) => {
      if (kills === 0) killHard(children.started.at(-1) ?? 0);
      kills += 1;
      response.end();
    },
  });
  pool = testPool({ children });
  renderPage = createPageRenderer({ pool, limits: PATIENT_PAGES });
  hasty = createPageRenderer({ pool, limits: { unresponsiveMs: 2_000 } });
  impatient = createPageRenderer({ pool, limits: { ...PATIENT_PAGES, settleTimeoutMs: 500 } });
  await pool.start();
});
after(async () => {
  await pool?.stop();
  await site?.stop();
});

describe('rendering finds', { concurrency: 2 }, () => {
  for (const [name, [body, links]] of Object.entries(PAGES)) {
    it(name, async () => assert.deepEqual(await linksOf(body), links));
  }

  it('title, canonical link and routes behind # as scripts leave them', async () => {
    const body = `<main></main><script>document.querySelector('main').innerHTML = '<a href=#/a>x</a><a href=#!/b>x</a><a href=#c>x</a>'; document.title = ' Made  by\\n script '; document.head.insertAdjacentHTML('beforeend', '<link rel="x CANONICAL" href="/canonical#x">')</script>`;
    const rendering = await render(documentOf(body));
    assert.ok(rendering.kind === 'rendered');
    assert.deepEqual(
      [rendering.found.title, rendering.found.canonical, rendering.found.hashRoutes],
      ['Made by script', `${site.origin}/canonical`, 2],
    );
  });

  it('at most 10,000 links, none longer than a URL may be', async () => {
    const links = await linksOf(`<a href="/${'x'.repeat(3_000)}">x</a><script>
      document.body.innerHTML += Array.from({ length: 12000 }, (_, n) => '<a href=/' + n + '>x</a>').join('')</script>`);
    assert.equal(links.length, 10_000);
    assert.equal(links.at(-1), '/9999');
  });

  it('the links of a page that never settles, and a bounded number of the routes that it takes without end', async () => {
    const links = await linksOf(
      `<a href=/there>x</a><script>fetch('/never'); let n = 0;
       setInterval(() => { document.querySelector('a').href = '/turn' + n }, 5);
       setInterval(() => history.replaceState(0, '', '/n' + n++), 1)</script>`,
      impatient,
    );
    assert.match(links[0] ?? '', /^\/turn\d+$/);
    assert.ok(links.length > 1 && links.length <= 101, String(links.length));
  });
});

describe('rendering gives up a page', { concurrency: 2 }, () => {
  for (const [name, [body, reason]] of Object.entries(UNRENDERABLE)) {
    it(name, async () => {
      const rendering = await render(documentOf(body), body.includes('for (;;)') ? hasty : renderPage);
      assert.ok(rendering.kind === 'failed');
      assert.match(sentenceOf(rendering.error), reason);
      assert.deepEqual([rendering.hasRun, rendering.ofReport], [true, undefined]);
    });
  }
});

describe('rendering', () => {
  it('reaches no private address through the proxy, and every public one', async () => {
    const intrusions: string[] = [];
    const inside = createServer((request, response) => {
      intrusions.push(request.url ?? '');
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('{"paths":["/secret"]}');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve));
    const { port } = inside.address() as AddressInfo;
    // 127.0.0.1 plays the public internet, and the test resolves names.
    const addressGuard: AddressGuard = {
      refuses: (address) => address !== '127.0.0.1',
      lookup: (_name, _options, callback) => callback(new Error('refused'), []),
    };
    const proxy = await startBrowserProxy({ addressGuard });
    const guarded = testPool({ proxyServer: proxy.address });
    const sources = ['/data', `http://127.0.0.2:${port}/data`, `http://inside.example:${port}/data`];
    const page = documentOf(`<main></main><iframe src="http://127.0.0.2:${port}/frame"></iframe><script type=module>
      for (const source of ${JSON.stringify(sources)}) {
        const { paths } = await fetch(source).then((answer) => answer.json(), () => ({ paths: ['/refused'] }));
        document.querySelector('main').innerHTML += paths.map((path) => '<a href="' + path + '?' + source + '">x</a>').join('');
      }</script>`);
    const rendering = await render(page, createPageRenderer({ pool: guarded, limits: PATIENT_PAGES }));
    await guarded.stop();
    await proxy.close();
    inside.close();
    assert.ok(rendering.kind === 'rendered', JSON.stringify(rendering));
    assert.deepEqual(
      rendering.found.links.map((url) => new URL(url).pathname),
      ['/one', '/two', '/refused', '/refused'],
    );
    assert.deepEqual(intrusions, []);
  });

  it('ends with the reason of the signal, and retries when the browser was killed', async () => {
    const giveUp = new AbortController();
    const endless = documentOf('<script src=/never></script>');
    const given = renderPage(endless, { cacheGroup: 'report', waitFor: null, signal: giveUp.signal });
    giveUp.abort(new Error('given up'));
    await assert.rejects(given, /given up/);
    const killed = render(documentOf('<a href=/x>x</a><script src=/kills></script>'));
    assert.equal((await killed).kind, 'rendered');
    assert.equal(kills, 2);
  });

  it('requests no document', () => {
    assert.deepEqual(
      site.requests.filter(({ url }) => url.startsWith('/page')),
      [],
    );
  });
});
