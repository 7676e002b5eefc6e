import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { groupMembers, killHard } from '../../src/browser/chromium-process.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { A11Y_LIMITS } from '../../src/checks/a11y/limits.ts';
import { DEFAULT_VIEWPORT, type FoundIssue } from '../../src/domain/check.ts';
import type { CheckNote } from '../../src/domain/check-note.ts';
import { type OpeningStep, reachedByText } from '../../src/domain/reached-by.ts';
import { PageIdentities } from '../../src/issues/identity.ts';
import { PATTERNS, pageOf, seedsOf } from '../helpers/apg-patterns.ts';
import { fetchDocument, recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The accessibility check opens expandable elements, and adds what the closed page does not have (decision 0149). */

/** `npm run bench:states` has all patterns, and ten defects of each. */
const CHOSEN = ['menubar', 'combobox', 'tree', 'date picker dialog'];
const SEEDS_PER_PATTERN = 6;

const page = (body: string, head = ''): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Page</title>${head}</head><body><main><h1>Page</h1>${body}</main></body></html>`;
const toggle = (name: string, id: string, content: string, script = ''): string =>
  `<button type="button" aria-expanded="false" aria-controls="${id}" onclick="${script};const p = document.getElementById('${id}'); p.hidden = !p.hidden; this.setAttribute('aria-expanded', !p.hidden)">${name}</button><div id="${id}" hidden>${content}</div>`;

const PAGES: Readonly<Record<string, string>> = {
  // Nothing but the second panel is new. The list is made again each time, with the same defect.
  '/known': page(
    `<img src="data:,a"><ul id="list"><li><img src="data:,b"></li></ul>
    ${toggle('More', 'more', '<img src="data:,c">', "list.innerHTML = '<li><img src=&quot;data:,b&quot;></li>'")}`,
  ),
  '/unsafe': page(
    `<a href="/followed" role="button" aria-expanded="false">Link</a>
    <form action="/sent" method="post"><button aria-expanded="false">Send</button><button type="reset" aria-expanded="false">Reset</button></form>
    <button type="button" aria-haspopup="true" onclick="fetch('/signed-out')">Log out</button>
    <button type="button" aria-expanded="false" disabled onclick="fetch('/disabled')">Disabled</button>
    ${toggle('Posts', 'posts', '<img src="data:,posts">', "fetch('/sent', { method: 'POST' }); navigator.sendBeacon('/sent')")}
    ${toggle('Sends a form', 'form', '<img src="data:,form">', "document.querySelector('form').submit()")}
    ${toggle('Leaves', 'leaves', '<img src="data:,leaves">', "location.href = '/followed'; window.open('/followed')")}
    ${toggle('Gets', 'gets', '<img src="data:,gets">', "fetch('/data')")}
    <button type="button" aria-expanded="false" onclick="history.pushState(null, '', '/other'); document.body.append(new Image)">Other page</button>
    <!-- As templates with Bootstrap write it: the first says that it is open. -->
    <a href="#" role="button" aria-expanded="true" aria-controls="first" onclick="first.hidden = !first.hidden; return false">First</a>
    <div id="first" hidden><img src="data:,first"></div>
    <button type="button" data-bs-target="#second" onclick="second.hidden = !second.hidden">Second</button>
    <div id="second" hidden><img src="data:,second"></div>
    <a href="#" role="button" aria-expanded="true" aria-controls="third" onclick="third.hidden = true">Third</a>
    <div id="third"></div>
    ${toggle('Last', 'last', '<img src="data:,last">')}`,
  ),
  // What the first opens covers the second, and closes slowly.
  '/slow': page(
    `${toggle('First', 'first', '<img src="data:,first">')}${toggle('Second', 'second', '<img src="data:,second">')}<div id="cover"></div>`,
    `<style>#cover { position: fixed; inset: 0; margin-left: -100vw; width: 100vw; transition: margin-left 3s }
    [aria-controls=first] { position: relative; z-index: 1 } [aria-controls=first][aria-expanded=true] ~ #cover { margin-left: 0 }</style>`,
  ),
  // None of them closes again: the page has to be loaded again to open the next.
  '/open': page(
    ['first', 'second']
      .map(
        (id) =>
          `<button type="button" aria-expanded="false" onclick="this.remove(); ${id}.hidden = false">Open ${id}</button><div id="${id}" hidden><img src="data:,${id}"></div>`,
      )
      .join('') +
      `<button type="button" aria-expanded="false" onclick="location.reload()">Reloads</button>
      ${toggle('Last', 'last', '<img src="data:,last">')}`,
  ),
  '/alike': page(
    Array.from({ length: 5 }, (_, index) => toggle(`Row ${index}`, `row${index}`, '<img src="data:,row">')).join(''),
  ),
  // This hangs without taking time of the processor.
  '/hangs': page(
    `${toggle('First', 'first', '<img src="data:,first">')}
    <button type="button" aria-expanded="false" onclick="document.body.append(new Image); const request = new XMLHttpRequest(); request.open('GET', '/never', false); request.send()">Hangs</button>
    ${toggle('Last', 'last', '<img src="data:,last">')}`,
  ),
  '/crashes': page(
    `${toggle('First', 'first', '<img src="data:,first">')}
    <button type="button" aria-expanded="false" onclick="fetch('/crash')">Crashes</button>`,
  ),
};

let site: TestSite;
const requests: string[] = [];
const patterns = PATTERNS.map((pattern, index) => ({
  pattern,
  path: `/pattern-${index}`,
  seeds: seedsOf(index, SEEDS_PER_PATTERN),
})).filter(({ pattern }) => CHOSEN.includes(pattern.name));
const limits = { ...PATIENT_PAGES, states: { ...A11Y_LIMITS.states, stateTimeoutMs: 10_000 } };
const children = recordChildren();
const pool = testPool({ children });
const engine = createA11yEngine({ pool, limits });

before(async () => {
  const pages = new Map(Object.entries(PAGES));
  for (const { pattern, path, seeds } of patterns) pages.set(path, pageOf(pattern, seeds));
  site = await startTestSite({
    '*': ({ method = '', url = '' }, response) => {
      requests.push(`${method} ${url}`);
      if (url === '/never') return;
      if (url === '/crash') {
        for (const { pid, isRenderer } of children.started.flatMap(groupMembers)) if (isRenderer) killHard(pid);
      }
      const body = pages.get(url);
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
    },
  });
  await engine.start();
});
after(async () => {
  await engine.stop();
  await site?.stop();
});

interface Found {
  readonly rule: string | null;
  readonly html: string;
  readonly line: number | null;
  readonly way: string | null;
}

async function check(
  path: string,
  exploresStates = true,
  states = limits.states,
): Promise<{ issues: readonly FoundIssue[]; found: Found[]; notes: readonly CheckNote[] }> {
  const document = await fetchDocument(`${site.origin}${path}`);
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'states', exploresStates };
  const limited = states === limits.states ? engine : createA11yEngine({ pool, limits: { ...limits, states } });
  const answer = await limited.collect(input, AbortSignal.timeout(patienceMs));
  const { issues, notes } = A11Y.interpret(answer, document.url);
  const found = issues.flatMap(({ ruleId: rule, howMany, occurrences }) => {
    const all = occurrences as unknown as {
      html: string;
      place: { line: number | null; box: unknown };
      reached_by?: OpeningStep[];
    }[];
    assert.equal(all.length, howMany);
    return all.map(({ html, place: { line, box }, reached_by: steps }) => {
      // The screenshot shows the closed page.
      assert.ok(steps === undefined || box === null);
      return { rule, html, line, way: steps === undefined ? null : reachedByText(steps) };
    });
  });
  return { issues, found, notes };
}

const waysOf = (found: readonly Found[]): string[] =>
  found.map(({ html, way }) => `${/src="([^"]*)"/.exec(html)?.[1] ?? html}: ${way}`);

describe('states of a page', () => {
  for (const { pattern, path, seeds } of patterns) {
    it(`are opened in the pattern ${pattern.name}`, async () => {
      const { found, notes } = await check(path);
      const seeded = found.filter(({ html }) => html.includes('data-seed'));
      assert.ok(seeded.every(({ way }) => way !== null));
      const missing = seeds.filter(
        ({ number, rule }) => !seeded.some((each) => each.rule === rule && each.html.includes(`data-seed="${number}"`)),
      );
      assert.deepEqual([missing, notes], [[], []]);
      if (pattern.name === 'combobox') assert.deepEqual((await check(path)).found, found);
    });
  }

  it('add only what the closed page does not have, after everything else', async () => {
    const closed = await check('/known', false);
    const opened = await check('/known');
    assert.deepEqual(waysOf(opened.found), [...waysOf(closed.found), 'data:,c: Click the button “More”']);
    const [issue] = opened.issues;
    const identities = new PageIdentities(site.origin);
    const clues = issue === undefined ? [] : A11Y.issues.occurrenceClues({ url: null, occurrences: issue.occurrences });
    const named = clues.map(({ markup }) => ({ markup, element: null }));
    const { occurrences } = identities.identify('type', named);
    const before = new PageIdentities(site.origin).identify('type', named.slice(0, closed.found.length)).occurrences;
    assert.deepEqual(Buffer.from(occurrences).subarray(0, before.byteLength), Buffer.from(before));
  });

  it('are found by what attributes name, and reached without following links, sending forms or changing anything', async () => {
    requests.length = 0;
    const { found, notes } = await check('/unsafe');
    assert.deepEqual(waysOf(found), [
      'data:,posts: Click the button “Posts”',
      'data:,form: Click the button “Sends a form”',
      'data:,leaves: Click the button “Leaves”',
      'data:,gets: Click the button “Gets”',
      'data:,first: Click the button “First”',
      'data:,second: Click the button “Second”',
      'data:,last: Click the button “Last”',
    ]);
    assert.deepEqual(notes, []);
    assert.deepEqual([...new Set(requests)].filter((request) => !request.includes('favicon')).sort(), [
      'GET /data',
      'GET /unsafe',
    ]);
  });

  it('are opened in a page that has closed others slowly', async () => {
    assert.deepEqual(waysOf((await check('/slow')).found), [
      'data:,first: Click the button “First”',
      'data:,second: Click the button “Second”',
    ]);
  });

  it('are reached again after the page was loaded again', async () => {
    const { found, notes } = await check('/open');
    assert.deepEqual(waysOf(found), [
      'data:,first: Click the button “Open first”',
      'data:,second: Click the button “Open second”',
      'data:,last: Click the button “Last”',
    ]);
    assert.deepEqual(notes, []);
  });

  it('have limits, and a note about what was left out', async () => {
    const alike = await check('/alike', true, { ...limits.states, alikeMax: 3 });
    assert.equal(alike.found.length, 3);
    assert.deepEqual(alike.notes, [{ code: 'states_left', params: { opened: 3, left: 2 } }]);
    // The page has 21 elements, which count in each state.
    const small = await check('/alike', true, { ...limits.states, elementsMax: 40 });
    assert.deepEqual(small.notes, [{ code: 'states_left', params: { opened: 2, left: 3 } }]);
    const late = await check('/alike', true, { ...limits.states, timeMs: 0 });
    assert.deepEqual(late.notes, [{ code: 'states_late', params: { opened: 0, left: 5, seconds: 0 } }]);
  });

  it('that hang or crash end the exploration, and keep what was found', async () => {
    for (const path of ['/hangs', '/crashes']) {
      const { found, notes } = await check(path);
      assert.deepEqual(waysOf(found), ['data:,first: Click the button “First”'], path);
      assert.deepEqual(notes, [{ code: 'states_broke_off', params: { opened: 1 } }], path);
    }
    assert.equal((await check('/known', false)).found.length, 2);
  });
});
