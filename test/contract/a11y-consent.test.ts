import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BrowserFault } from '../../src/browser/browser-fault.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import type { ConsentChoice } from '../../src/domain/consent.ts';
import { fetchDocument, recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The accessibility check dismisses consent banners, and the site keeps the choice for the other pages (decision 0147). */

const banner = (id: string, text: string, accept: string, reject: string): string =>
  `<div id="${id}" style="position: fixed; bottom: 0; background: #fff"><p>${text}</p><img src="data:,banner">
    <button onclick="choose('all')">${accept}</button> <button onclick="choose('none')">${reject}</button></div>`;
const page = (body: string, script: string): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1></main>${body}<script>${script}</script></body></html>`;
const remove = "document.querySelector('[id]').remove();";

/** @param clicks how often the mouse has clicked; 0 for a key */
const closedBy = (clicks: number): string => `const notice = document.querySelector('iframe').parentNode;
  onmessage = ({ data }) => { if (data.clicks === ${clicks}) { document.cookie = 'notice=1; path=/frame'; notice.remove(); } };
  if (document.cookie.includes('notice')) notice.remove();`;

/** By the first part of the path. The pages of a site are alike. */
const SITES: Readonly<Record<string, string>> = {
  cookie: page(
    banner('CybotCookiebotDialog', 'This website uses cookies', 'Allow all', 'Deny'),
    `function choose(what) { fetch('/log', { method: 'POST' }); document.cookie = 'consent=' + what + '; path=/'; ${remove} }
     if (document.cookie) ${remove}`,
  ),
  storage: page(
    banner('hinweis', 'Wir verwenden Cookies.', 'Alle akzeptieren', 'Nur notwendige Cookies'),
    `function choose(what) { localStorage.setItem('consent', what); location.reload(); } if (localStorage.consent) ${remove}`,
  ),
  // The site keeps nothing.
  layers: page(
    banner('first', 'Cookies', 'Settings', 'More options'),
    `function choose() { document.querySelector('#first').innerHTML = '<p>Cookies</p><button onclick="this.parentNode.remove()">Odrzuć wszystkie</button>'; }`,
  ).replace('More options', 'Odmawiam'),
  stubborn: page(banner('info', 'Cookies', 'Settings', 'OK'), 'function choose() {}'),
  shadow: page(
    '<div id="host"></div>',
    `const root = host.attachShadow({ mode: 'open' });
     root.innerHTML = '<div role="dialog" aria-label="Evästeet"><img src="data:,banner"><button>Hylkää kaikki</button><button>Hyväksy kaikki</button></div>';
     root.addEventListener('click', () => { document.cookie = 'done=1; path=/'; host.remove(); });
     if (document.cookie.includes('done')) host.remove();`,
  ),
  // The frame cannot be clicked.
  frame: page(
    `<div role="dialog" aria-label="Notice"><iframe title="Notice" src="/notice/"></iframe></div>
     <div style="position: fixed; inset: 0"></div>`,
    closedBy(0),
  ),
  // The site keeps nothing.
  foreign: page(
    '<div style="position: fixed; bottom: 3px; right: 5px"><iframe title="Notice" style="padding: 40px"></iframe></div>',
    `frames[0].location = location.href.replace('127.0.0.1', 'localhost').replace('foreign', 'notice'); ${closedBy(1)}`,
  ),
  notice: page(
    banner('', 'Ciasteczka', 'Zgadzam się', 'Odmów').replace('position: fixed', ''),
    `function choose() {
       const close = (clicks) => parent.postMessage({ clicks }, '*');
       fetch('/log', { method: 'POST' }).finally(close.bind(null, event.detail));
     }`,
  ),
  // Neither is about consent.
  none: page(
    `<div id="newsletter" style="position: fixed; top: 0"><p>News</p><button onclick="fetch('/subscribed')">OK</button></div><button onclick="fetch('/agreed')">Accept</button><a href="/cookies">Cookies</a>`,
    '',
  ),
};

let site: TestSite;
const pool = testPool({ children: recordChildren() });
const engine = createA11yEngine({ pool, limits: PATIENT_PAGES });
before(async () => {
  site = await startTestSite({
    '*': ({ url = '' }, response) => {
      const body = SITES[url.split('/')[1] ?? ''];
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    },
  });
  await engine.start();
});
after(async () => {
  await engine.stop();
  await site?.stop();
});

interface CheckedPages {
  readonly exploresStates?: boolean;
  /** Whether the first page of the report is checked before. Default: true. */
  readonly withFirst?: boolean;
}

/** Checks a page of a report after the first one. Returns whether the banner was dismissed, with the number of images in it. */
async function check(name: string, choice: ConsentChoice, pages: CheckedPages = {}): Promise<string[]> {
  const { exploresStates = false, withFirst = true } = pages;
  const results: string[] = [];
  for (const keepsBanner of withFirst ? [true, false] : [false]) {
    const document = await fetchDocument(`${site.origin}/${name}/${results.length}`);
    const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: `${name} ${choice}`, exploresStates };
    const answer = await engine.collect(
      { ...input, consent: { choice, keepsBanner } },
      AbortSignal.timeout(patienceMs),
    );
    const { issues, notes, shownAs } = A11Y.interpret(answer, document.url);
    const images = issues.filter(({ ruleId }) => ruleId === 'image-alt').length;
    results.push([shownAs?.consent, images, ...notes.map(({ code }) => code)].join(' '));
  }
  return results;
}

describe('consent banners', () => {
  const dismissed = ['kept 1', 'dismissed 0'];

  it('are dismissed, and the choice is kept as the site keeps it, without requests that change something', async () => {
    site.requests.length = 0;
    assert.deepEqual(await check('cookie', 'accept'), dismissed);
    assert.deepEqual(await check('storage', 'reject'), dismissed);
    assert.deepEqual(await check('shadow', 'accept', { exploresStates: true }), dismissed);
    assert.deepEqual(await check('layers', 'reject', { withFirst: false }), ['dismissed 0']);
    assert.deepEqual([...new Set(site.requests.map(({ method }) => method))], ['GET']);
  });

  it('are dismissed in frames of the same site and of others', async () => {
    site.requests.length = 0;
    assert.deepEqual(await check('frame', 'accept'), dismissed);
    assert.deepEqual(await check('foreign', 'reject', { withFirst: false }), ['dismissed 0']);
    assert.deepEqual([...new Set(site.requests.map(({ method }) => method))], ['GET']);
  });

  it('stay with a note if no button makes the choice, or if they do not close', async () => {
    for (const choice of ['accept', 'reject'] as const) {
      assert.deepEqual(await check('stubborn', choice, { withFirst: false }), ['kept 1 banner_kept']);
    }
  });

  it('leave the result of the first page complete if the page fails once they are dismissed for the others', async () => {
    const failing: typeof pool.withPage = (request, use) =>
      pool.withPage(request, async (shown, stepAside) => {
        await use(shown, stepAside);
        throw new BrowserFault('time_limit');
      });
    const document = await fetchDocument(`${site.origin}/cookie/`);
    const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'failing' };
    const answer = await createA11yEngine({ pool: { ...pool, withPage: failing }, limits: PATIENT_PAGES }).collect(
      { ...input, consent: { choice: 'accept', keepsBanner: true } },
      AbortSignal.timeout(patienceMs),
    );
    const { notes, shownAs } = A11Y.interpret(answer, document.url);
    assert.deepEqual([shownAs?.consent, notes], ['kept', []]);
  });

  it('are not confused with other dialogs and buttons', async () => {
    site.requests.length = 0;
    assert.deepEqual(await check('none', 'accept', { withFirst: false }), ['none 0']);
    assert.ok(site.requests.every(({ url }) => url.startsWith('/none') || url === '/favicon.ico'));
  });
});
