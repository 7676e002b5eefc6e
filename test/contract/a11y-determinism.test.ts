import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT, type FoundIssue } from '../../src/domain/check.ts';
import { fetchDocument, testPool } from '../helpers/browser.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Moving pages are checked where their movement ends, so that a check finds the same on fast and slow machines. */

const HEAD = '<!DOCTYPE html><html lang=en><title>t</title><style>body { color: #000; background: #fff }';
const FADE = '@keyframes fade { from { opacity: 0.1 } }';
const TEXT = '</style><main><h1>Heading</h1><p id=text>Some words</p></main>';
/** Longer than any check takes, even on a busy machine. */
const LONG = '600s';

interface MovingPage {
  readonly body: string;
  /** The rules that find something in the final state. */
  readonly rules: readonly string[];
}

const PAGES: Readonly<Record<string, MovingPage>> = {
  '/fades-in': { body: `${HEAD}${FADE} p { animation: fade ${LONG} }${TEXT}`, rules: [] },
  '/fades-out': {
    body: `${HEAD} @keyframes out { to { color: #eee } } p { animation: out ${LONG} forwards }${TEXT}`,
    rules: ['color-contrast'],
  },
  '/waits-before-it-fades': { body: `${HEAD}${FADE} p { animation: fade ${LONG} 1s both }${TEXT}`, rules: [] },
  '/pulses-without-end': {
    body: `${HEAD} @keyframes pulse { to { opacity: 0.1 } } p { animation: pulse 0.3s infinite alternate }${TEXT}`,
    rules: [],
  },
  '/transition': {
    body: `${HEAD} p { transition: color ${LONG} }${TEXT}<script>onload = () => { text.style.color = '#ddd' }</script>`,
    rules: ['color-contrast'],
  },
  '/shown-at-the-end': {
    body: `${HEAD}${FADE} img { display: none } .done + img { display: inline } p { animation: fade ${LONG} }
      ${TEXT.replace('</p>', '</p><img src=/x.png width=9 height=9>')}
      <script>text.onanimationend = () => text.classList.add('done')</script>`,
    rules: ['image-alt'],
  },
  '/one-after-another': {
    body: `${HEAD}${FADE} @keyframes next { from { color: #eee } } p { animation: fade ${LONG} } p.next { animation: next ${LONG} }
      ${TEXT}<script>text.onanimationend = () => text.classList.add('next')</script>`,
    rules: [],
  },
  '/never-stops-to-begin': {
    body: `${HEAD}${FADE}${TEXT}
      <script>const begin = () => text.animate({ width: ['1px', '9px'] }, 1e6).onfinish = begin; begin()</script>`,
    rules: [],
  },
  '/in-a-frame': { body: `${HEAD}${TEXT}<iframe title=f src=/fades-in></iframe>`, rules: [] },
  '/in-a-frame-of-another-site': {
    body: `${HEAD}${TEXT}<iframe title=f src=OTHER/fades-out></iframe>`,
    rules: ['color-contrast'],
  },
  '/reduced-motion': {
    body: `${HEAD} @media (prefers-reduced-motion: reduce) { p { color: #eee } }${TEXT}`,
    rules: [],
  },
};
const RUNS = 2;

let site: TestSite;
const engine = createA11yEngine({ pool: testPool() });

before(async () => {
  site = await startTestSite({
    ...Object.fromEntries(
      Object.entries(PAGES).map(([path, { body }]) => [
        path,
        (request, response) => {
          const other = `http://localhost:${request.socket.localPort}`;
          response.setHeader('content-type', 'text/html').end(body.replace('OTHER', other));
        },
      ]),
    ),
  });
  await engine.start();
});

after(async () => {
  await engine.stop();
  await site?.stop();
});

async function check(path: string): Promise<readonly FoundIssue[]> {
  const document = await fetchDocument(`${site.origin}${path}`);
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'moving' };
  return A11Y.interpret(await engine.collect(input, AbortSignal.timeout(200_000)), document.url).issues;
}

describe('a moving page', { concurrency: 2 }, () => {
  for (const [path, { rules }] of Object.entries(PAGES)) {
    it(`${path} is checked when it has settled, each time`, async () => {
      const [first, ...others] = await Promise.all(Array.from({ length: RUNS }, () => check(path)));
      assert.deepEqual(
        first?.map(({ ruleId }) => ruleId).filter((rule) => rule !== 'region' && rule !== 'landmark-unique'),
        rules,
      );
      for (const other of others) assert.deepEqual(other, first);
    });
  }
});
