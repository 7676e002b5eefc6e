import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { killHard } from '../../src/browser/chromium-process.ts';
import { openedQuietMs } from '../../src/browser/page-load/limits.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument, type FoundIssue } from '../../src/domain/check.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { processesOf, recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/**
 * Pages that resist being checked always have a result or a reason, and say whether a retry may help. More such pages, and their
 * effect on others, are in `test/e2e/hostile-site.test.ts`.
 */

const HEAD = '<!DOCTYPE html><html lang=en><title>t</title>';
const BODY = '<main><h1>Heading</h1><img src=/missing.png></main>';
/** Runs without end, and without taking time of the processor. */
const HANG = "{ const request = new XMLHttpRequest(); request.open('GET', '/never', false); request.send() }";
/** Each of these fails with a reason that describes the page's problem. */
const UNCHECKABLE: Readonly<Record<string, readonly [body: string, reason: RegExp]>> = {
  'a page whose script runs without end later': [
    `${HEAD}${BODY}<script>onload=()=>setTimeout(()=>${HANG})</script>`,
    /end/,
  ],
  'a page that leaves before it is there': [
    `${HEAD}<script>location='/elsewhere'</script>${BODY}`,
    /redirects to .*\/elsewhere/,
  ],
  'a page that puts another in its place': [
    `${HEAD}${BODY}<script>location='about:blank'</script>`,
    /replaced it .*about:blank/,
  ],
};

let site: TestSite;
const children = recordChildren();
const pool = testPool({ children });
const engine = createA11yEngine({ pool, limits: { loadTimeoutMs: 10_000 } });
/** For pages that load eventually, however busy the machine is. */
const patient = createA11yEngine({ pool, limits: PATIENT_PAGES });
/** For pages that hang and never load. */
const hasty = createA11yEngine({ pool, limits: { unresponsiveMs: 4_000 } });

function documentOf(body: string, headers: Record<string, string> = {}, path = '/page'): FetchedDocument {
  const all = { 'content-type': 'text/html; charset=utf-8', ...headers };
  return {
    url: `${site.origin}${path}`,
    httpStatus: 200,
    contentType: all['content-type'],
    headers: Object.entries(all),
    body: Buffer.from(body),
  };
}

async function check(document: FetchedDocument, by = engine): Promise<readonly FoundIssue[]> {
  const raw = await by.collect(
    { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'hostile' },
    AbortSignal.timeout(patienceMs),
  );
  return A11Y.interpret(raw, document.url).issues;
}

async function failureOf(work: Promise<unknown>): Promise<CheckFault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CheckFault) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'The check did not fail.' });
}

function hasImageIssue(issues: readonly FoundIssue[]): boolean {
  return issues.some((issue) => issue.ruleId === 'image-alt');
}

before(async () => {
  site = await startTestSite({
    '/never': () => undefined,
    '/closing': (_request, response) =>
      void setTimeout(() => response.end('write(); document.close()'), 2 * openedQuietMs),
    '/elsewhere': `${HEAD}<h1>Elsewhere</h1>`,
    '/hanging-frame': `${HEAD}<script>${HANG}</script>`,
    '/frame': `${HEAD}<h1>Frame</h1><img src=/missing.png>`,
  });
  await engine.start();
});

after(async () => {
  await engine.stop();
  await site?.stop();
});

describe('the accessibility check of hostile pages', { concurrency: 2 }, () => {
  for (const [when, script] of Object.entries({
    'before it is there, once': 'if (!sessionStorage.again) { sessionStorage.again = 1; location.reload() }',
    'when it is there': 'onload = () => location.reload()',
    'while it is checked': 'onload = () => setTimeout(() => location.reload(), 200)',
  })) {
    it(`checks a page that reloads ${when}`, async () => {
      // It may do so once more after its check, when requests are no longer answered in place of the server.
      const document = documentOf(`${HEAD}<script>${script}</script>${BODY}`, {}, '/reloading');
      assert.ok(hasImageIssue(await check(document)));
    });
  }

  for (const [when, script] of Object.entries({
    'does not close': 'onload = () => write()',
    'closes when a script has arrived':
      'onload = () => { write(); document.write("<script src=/closing><\\/script>") }',
  })) {
    it(`checks a document that a page has opened and ${when}`, async () => {
      const body = JSON.stringify(BODY);
      const document = documentOf(`${HEAD}<script>const write = () => document.write(${body}); ${script}</script>`);
      const images = (await check(document, patient)).find((issue) => issue.ruleId === 'image-alt');
      assert.equal(images?.howMany, when === 'does not close' ? 1 : 2);
    });
  }

  for (const [name, [body, reason]] of Object.entries(UNCHECKABLE)) {
    it(`gives up ${name}`, async () => {
      const failure = await failureOf(check(documentOf(body), body.includes(HANG) ? hasty : patient));
      assert.match(failure.message, reason);
      assert.equal(failure.permanent, true);
    });
  }

  it('gives up a page whose script runs without end once, not in each step', async () => {
    // Twice the time without a response, or that time after the time for loading, would be longer than the check may take.
    const limits = { loadTimeoutMs: 18_000, unresponsiveMs: 20_000, checkTimeoutMs: 34_000 };
    const document = documentOf(`${HEAD}${BODY}<script>${HANG}</script>`);
    const failure = await failureOf(check(document, createA11yEngine({ pool, limits })));
    assert.match(failure.message, /runs endlessly/);
    assert.deepEqual([failure.permanent, failure.blame], [true, 'page']);
  });

  it('says what a page that never loads waits for', async () => {
    const failure = await failureOf(check(documentOf(`${HEAD}<script src=/never></script>${BODY}`)));
    assert.match(failure.message, /still loading .*\/never/);
    assert.equal(failure.permanent, false);
  });

  it('says that the issues exceed the limit', async () => {
    const narrow = createA11yEngine({ pool, limits: { resultMaxCharacters: 10_000 } });
    assert.ok(hasImageIssue(await check(documentOf(`${HEAD}${BODY}`), narrow)));
    const failure = await failureOf(check(documentOf(`${HEAD}${BODY}${'<img>'.repeat(20)}`), narrow));
    assert.match(failure.message, /more accessibility issues than a report can hold: over 10,000 characters/);
    assert.equal(failure.permanent, true);
  });

  it('says that a page is offered as a download', async () => {
    const failure = await failureOf(check(documentOf(BODY, { 'content-disposition': 'attachment' })));
    assert.match(failure.message, /download/);
    assert.equal(failure.permanent, true);
  });

  it('checks frames of other sites', async () => {
    const frame = `${site.origin.replace('127.0.0.1', 'localhost')}/frame`;
    const issues = await check(documentOf(`${HEAD}<main><h1>0</h1><iframe title=a src="${frame}"></iframe></main>`));
    assert.equal(issues.find((issue) => issue.ruleId === 'image-alt')?.url, frame);
    assert.ok(!issues.some((issue) => issue.ruleId === 'frame-tested'));
  });

  it('reports a hanging frame of another site as not tested, and checks the page', async () => {
    const frame = `${site.origin.replace('127.0.0.1', 'localhost')}/hanging-frame`;
    const issues = await check(documentOf(`${HEAD}${BODY}<iframe title=a src="${frame}"></iframe>`));
    assert.ok(hasImageIssue(issues));
    assert.equal(issues.find((issue) => issue.ruleId === 'frame-tested')?.howMany, 1);
  });

  it('fails pages whose URL does not distinguish them from a document', async () => {
    const failure = await failureOf(check({ ...documentOf(BODY), url: 'http://[' }));
    assert.equal(failure.permanent, true);
  });
});

describe('the accessibility check', () => {
  it('can be retried when the browser was killed', async () => {
    const pid = children.started.at(-1);
    assert.ok(pid);
    const failing = failureOf(check(documentOf(`${HEAD}${BODY}<img alt="" src=/never>`), patient));
    setTimeout(() => killHard(pid), 700);
    const { permanent, blame } = await failing;
    assert.deepEqual([permanent, blame], [false, 'anybody']);
    assert.ok(hasImageIssue(await check(documentOf(`${HEAD}${BODY}`))));
  });

  it('does not fetch the document again', () => {
    assert.equal(site.requests.filter(({ url }) => url.startsWith('/page')).length, 0);
  });

  it('leaves no process', async () => {
    await engine.stop();
    await until(() => processesOf(children.started, `browser-profiles/${process.pid}-`).length === 0);
    assert.equal(children.present.size, 0);
  });
});
