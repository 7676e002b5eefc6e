import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import type { EngineRuntime } from '../../src/checks/check-engine.ts';
import { createPageRenderer } from '../../src/crawling/rendering/render-page.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { fetchDocument, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/**
 * A page that scripts draw is checked, and its links are found, when it has settled; endless movement does not delay it. Moving
 * pages are checked where their movement ends, so that a check finds the same on fast and slow machines.
 */

const HEAD =
  '<!DOCTYPE html><html lang=en><title>t</title><main><h1>Heading</h1><p id=text>Some words to read</p></main>';
/** Adds a fault that axe finds, and a link that the crawler finds. */
const DRAW = `const draw = (root = document.querySelector('main') ?? document.body) => {
  root.append(Object.assign(document.createElement('a'), { href: '/late', innerHTML: '<img src="data:,">' })) };`;
const script = (body: string): string => `${HEAD}<script>${DRAW}${body}</script>`;

/** Pages that are complete only after a while. */
const LATE: Readonly<Record<string, string>> = {
  // Without any one of the steps, nothing would happen for longer than a settled page is quiet.
  '/step-by-step': `${HEAD}<img name=querySelectorAll alt=x src=data:,><img name=evaluate alt=x src=data:,><div id=host></div>
    <div id=late></div><form><input aria-label=x name=shadowRoot></form><script>${DRAW}
    const root = host.attachShadow({ mode: 'open' });
    const after = (ms) => new Promise((done) => setTimeout(done, ms));
    const load = async () => (await fetch('/slow')).json();
    const steps = async () => {
      await load();
      if (document.readyState !== 'complete') await new Promise((done) => { onload = done });
      await after(300);
      text.textContent = 'one';
      await after(300);
      text.className = 'two';
      await after(300);
      await load();
      await after(300);
      await import('/module.js');
      await after(300);
      root.append(document.createElement('p'));
      await after(400);
      const newRoot = late.attachShadow({ mode: 'open' });
      await after(400);
      draw(newRoot);
    };
    steps();</script>`,
  '/handler-without-script': `${HEAD.replace('<main', '<body onload="setTimeout(() => { text.innerHTML = `<a href=/late><img src=data:,></a>` }, 200)"><main')}`,
  '/shell-that-a-timer-fills': `<!DOCTYPE html><html lang=en><title>t</title><div id=root>Loading…</div>
    <script>${DRAW}onload = () => setTimeout(draw, 2000)</script>`,
  '/frame': `${HEAD}<iframe title=f src=/timer></iframe>`,
};
/** The crawler ignores frames of other sites. */
const OTHER_SITE = '/frame-of-another-site';
/** The crawler waits in the same way as checks. These show that it does, and that it finds links everywhere. */
const RENDERED = ['/step-by-step', '/frame'];

/** Pages in which things never end, but which settle. The fault exists before they are checked. */
const ENDLESS: Readonly<Record<string, string>> = {
  '/requests': `${HEAD}
    <script>${DRAW}setTimeout(draw, 200);
    let n = 0;
    setInterval(() => fetch('/quick?' + n++), 60);
    setInterval(() => fetch('/quick', { method: 'POST', body: 'same' }), 60);
    fetch('/endless').then(async (answer) => { for await (const part of answer.body) text.title = part.length });
    new EventSource('/endless-events').onmessage = () => 0;</script>`,
  // Changes few nodes: the limit for all nodes is not reached.
  '/clock-and-animation': `${HEAD}<b id=clock></b><i id=animated></i>
    <script>${DRAW}setTimeout(draw, 200);
    setInterval(() => { clock.textContent = performance.now() }, 60);
    const move = () => { animated.style.marginLeft = performance.now() % 9 + 'px'; setTimeout(requestAnimationFrame, 60, move) };
    move();</script>`,
  '/snow': script(`setTimeout(draw, 200); setInterval(() => { const flake = document.createElement('i');
    text.append(flake); if (text.childElementCount > 9) text.firstElementChild.remove();
    for (const other of text.children) other.style.top = performance.now() + 'px' }, 50)`),
};

/** Longer than any check takes, even on a busy machine. */
const LONG = '600s';
const PALE = '@keyframes out { to { color: #eee } } .out { animation: out 600s forwards }';
const FADE = '@keyframes fade { from { opacity: 0.1 } }';
/** Each element moves in another way. At its end, some have a fault. */
const MOVING = `<!DOCTYPE html><html lang=en><title>t</title><style>
    body { color: #000; background: #fff }
    ${FADE} ${PALE} @keyframes pulse { to { opacity: 0.1 } } @keyframes next { from { color: #eee } }
    .in { animation: fade ${LONG} } #waiting { animation: fade ${LONG} 1s both }
    #pulsing { animation: pulse 0.3s infinite alternate } #turning { transition: color ${LONG} }
    #shown { display: none } .done + #shown { display: inline } .next { animation: next ${LONG} }
    @media (prefers-reduced-motion: reduce) { #reduced { color: #eee } }
  </style><main><h1>Heading</h1><p class=in>In</p><p class=out id=out>Out</p><p id=waiting>Waiting</p><p id=pulsing>Pulsing</p>
  <p id=turning>Turning</p><p class=in id=fading>Fading</p><img id=shown src=/x.png width=9 height=9><p class=in id=first>First</p>
  <p id=reduced>Reduced</p><iframe id=own title=own src=/fades-in></iframe><iframe id=other title=other src=OTHER/fades-out></iframe>
  </main><script>
    onload = () => { turning.style.color = '#ddd' };
    fading.onanimationend = () => fading.classList.add('done');
    first.onanimationend = () => { first.className = 'next' };
  </script>`;
const ENDLESSLY_MOVING = `${HEAD}<style>body { color: #000; background: #fff } ${FADE} .in { animation: fade ${LONG} }</style><p class=in>In</p>
  <script>const begin = () => text.animate({ width: ['1px', '9px'] }, 1e6).onfinish = begin; begin()</script>`;

let site: TestSite;
const pool = testPool();
const engine = createA11yEngine({ pool, limits: { ...PATIENT_PAGES, settleTimeoutMs: 60_000 } });
const impatient = createA11yEngine({ pool, limits: { ...PATIENT_PAGES, settleTimeoutMs: 1_000 } });
const renderPage = createPageRenderer({ pool, limits: { ...PATIENT_PAGES, settleTimeoutMs: 60_000 } });
/** Delays responses until a number of them are waiting. */
const held: ServerResponse[] = [];
const HELD = 3;

before(async () => {
  const html = (body: string) => ({ headers: { 'content-type': 'text/html' }, body });
  site = await startTestSite({
    ...Object.fromEntries(Object.entries({ ...LATE, ...ENDLESS }).map(([path, body]) => [path, html(body)])),
    [OTHER_SITE]: (request, response) => {
      const other = `http://localhost:${request.socket.localPort}`;
      response.setHeader('content-type', 'text/html').end(`${HEAD}<iframe title=f src=${other}/timer></iframe>`);
    },
    '/timer': html(script('onload = () => setTimeout(draw, 150)')),
    '/moving': (request, response) => {
      const other = `http://localhost:${request.socket.localPort}`;
      response.setHeader('content-type', 'text/html').end(MOVING.replace('OTHER', other));
    },
    '/fades-in': html(`${HEAD}<style>${FADE} p { animation: fade ${LONG} }</style>`),
    '/fades-out': html(`${HEAD}<style>${PALE}</style><p id=pale class=out>Pale</p>`),
    '/moves-without-end': html(ENDLESSLY_MOVING),
    '/slow': (_request, response) => void setTimeout(() => response.end('{}'), 700),
    '/quick': 'x',
    '/module.js': (_request, response) => {
      response.setHeader('content-type', 'text/javascript');
      setTimeout(() => response.end(), 700);
    },
    '/endless': (_request, response) => {
      const timer = setInterval(() => response.write('part '), 100);
      response.on('close', () => clearInterval(timer));
    },
    '/endless-events': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: x\n\n');
    },
    '/never': () => undefined,
    '/waits-for-ever': html(script(`fetch('/never?secret')`)),
    '/shell-with-a-spinner': html(
      '<!DOCTYPE html><html lang=en><title>t</title><div><svg width=9></svg></div><p hidden>Far more words than are needed for a page</p><script>0</script><noscript>Far more words than are needed</noscript>',
    ),
    '/short': html('<!DOCTYPE html><html lang=en><title>t</title><h1>Hi</h1><script>0</script>'),
    '/closed-to-robots': html('<!DOCTYPE html><html lang=en><title>t</title>'),
    '/silent-for-long': html(
      script(
        `setTimeout(() => { draw(); text.id = 'ready' }, 1500); let n = 0; setInterval(() => document.title = n++, 9)`,
      ),
    ),
    '/static': html(HEAD),
    '/held': html(script(`fetch('/hold').then((answer) => answer.text()).then(() => draw())`)),
    '/hold': (_request, response) => {
      held.push(response);
      if (held.length === HELD) for (const waiting of held) waiting.end();
    },
  });
  await engine.start();
});
after(async () => {
  await engine.stop();
  await site?.stop();
});

async function check(path: string, by: EngineRuntime = engine, waitFor: string | null = null) {
  const document = await fetchDocument(`${site.origin}${path}`);
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'settling', waitFor };
  const answer = await by.collect(input, AbortSignal.timeout(patienceMs));
  const { issues, notes } = A11Y.interpret(answer, document.url);
  return { issues, rules: issues.map(({ ruleId }) => ruleId), notes };
}

async function linksOf(path: string, waitFor: string | null = null): Promise<readonly string[]> {
  const document = await fetchDocument(`${site.origin}${path}`);
  const rendering = await renderPage(document, {
    cacheGroup: 'settling',
    waitFor,
    signal: AbortSignal.timeout(patienceMs),
  });
  assert.equal(rendering.kind, 'rendered');
  return rendering.found.links.map((url) => url.replace(site.origin, ''));
}

describe('a page that is drawn late', { concurrency: 2 }, () => {
  for (const path of [...Object.keys(LATE), OTHER_SITE]) {
    it(`${path} is checked when it has been drawn`, async () => {
      const { rules, notes } = await check(path);
      assert.ok(rules.includes('image-alt') || rules.includes('link-name'), rules.join());
      assert.deepEqual(notes, []);
    });
  }
  for (const path of RENDERED) {
    it(`${path} is rendered when it has been drawn`, async () => assert.deepEqual(await linksOf(path), ['/late']));
  }
});

describe('a page in which something never ends', { concurrency: 2 }, () => {
  for (const path of Object.keys(ENDLESS)) {
    it(`${path} settles`, async () => {
      const { rules, notes } = await check(path);
      assert.ok(rules.includes('image-alt') || rules.includes('link-name'), rules.join());
      assert.deepEqual(notes, []);
    });
  }

  it('is rendered when it has settled', async () => assert.deepEqual(await linksOf('/requests'), ['/late']));

  it('is checked as it is after the limit, and the note says what it waited for', async () => {
    const { rules, notes } = await check('/waits-for-ever', impatient);
    assert.deepEqual(notes, [
      { code: 'never_at_rest', params: { seconds: 1, waiting_for: `${site.origin}/never?secret` } },
    ]);
    assert.ok(!rules.includes('document-title'));
  });
});

describe('a moving page', () => {
  it('is checked where its movement ends, each time', async () => {
    const expected = {
      '/moving': [
        'color-contrast ["#other","#pale"]',
        'color-contrast ["#out"]',
        'color-contrast ["#turning"]',
        'image-alt ["#shown"]',
      ],
      '/moves-without-end': [],
    };
    for (const [path, faults] of Object.entries(expected)) {
      const { issues, notes } = await check(path);
      assert.deepEqual(notes, []);
      const found = issues.flatMap(({ ruleId, occurrences }) =>
        (occurrences as unknown as { target: unknown }[]).map(({ target }) => `${ruleId} ${JSON.stringify(target)}`),
      );
      assert.deepEqual(found.filter((fault) => !/^(region|landmark-unique) /.test(fault)).sort(), faults);
      assert.deepEqual((await check(path)).issues, issues);
    }
  });
});

describe('a page that shows almost nothing', { concurrency: 2 }, () => {
  for (const [path, saysSo] of [
    ['/shell-with-a-spinner', true],
    ['/short', false],
    ['/closed-to-robots', false],
  ] as const) {
    it(`${path} ${saysSo ? 'says so' : 'is as intended'}`, async () => {
      // On a busy machine, there may be a second note: that it was still changing.
      const { notes } = await check(path, impatient);
      assert.equal(
        notes.some(({ code }) => code === 'nearly_empty'),
        saysSo,
      );
    });
  }
});

describe('an element of wait_for', { concurrency: 2 }, () => {
  it('exists before the page is checked, even if other things change', async () => {
    const { rules, notes } = await check('/silent-for-long', engine, 'main > #ready');
    assert.ok(rules.includes('image-alt') || rules.includes('link-name'), rules.join());
    assert.deepEqual(notes, []);
    assert.deepEqual(await linksOf('/silent-for-long', 'main > #ready'), ['/late']);
  });

  it('that already exists causes no wait', async () => {
    assert.deepEqual((await check('/waits-for-ever', engine, 'h1')).notes, []);
  });

  it('that never appears leaves the page as it is', async () => {
    for (const [selector, path, seconds] of [
      ['#nothing', '/timer', 1],
      ['#nothing', '/static', 0],
      ['p:no-such-thing', '/timer', 1],
    ] as const) {
      const { notes } = await check(path, impatient, selector);
      assert.deepEqual(notes, [{ code: 'wait_for_missing', params: { selector, seconds } }]);
    }
  });
});

describe('pages that wait', () => {
  it('give up their slots to others', async () => {
    assert.ok(pool.slots < HELD);
    const found = await Promise.all(Array.from({ length: HELD }, () => check('/held')));
    for (const { rules } of found) assert.ok(rules.includes('image-alt') || rules.includes('link-name'), rules.join());
  });

  it('get a slot again, and never more at a time than exist', async () => {
    const request = {
      purpose: 'check',
      viewport: DEFAULT_VIEWPORT,
      cacheGroup: 'places',
      timeLimitMs: patienceMs,
    } as const;
    let working = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      working += 1;
      most = Math.max(most, working);
      await new Promise((done) => setTimeout(done, 20));
      working -= 1;
    };
    const waiting = Promise.withResolvers<void>();
    let aside = 0;
    const visits = Array.from({ length: HELD }, () =>
      pool.withPage({ ...request, signal: AbortSignal.timeout(patienceMs) }, async (_page, stepAside) => {
        await work();
        await stepAside(async () => {
          aside += 1;
          if (aside === HELD) waiting.resolve();
          await waiting.promise;
        });
        await work();
      }),
    );
    await Promise.all(visits);
    assert.equal(most, pool.slots);
  });
});
