import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { BrowserFault } from '../../src/browser/browser-fault.ts';
import { type BrowserPool, createBrowserPool } from '../../src/browser/browser-pool.ts';
import { groupMembers, killHard } from '../../src/browser/chromium-process.ts';
import { viewportOf } from '../../src/browser/devices.ts';
import { unpackBundledChromium } from '../../src/browser/find-chromium.ts';
import { hasRoomForSharedMemory } from '../../src/browser/launch-chromium.ts';
import { setViewport } from '../../src/browser/page-slot.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { createLogger } from '../../src/platform/logger.ts';
import {
  browserCache,
  processesOf,
  quietLog,
  type RecordedChildren,
  recordChildren,
  testPool,
} from '../helpers/browser.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What pages of a report share, what they never share, and that no page blocks the browser for the others. */

const profilesDirectory = `${browserCache}/pool-test-${process.pid}`;
const STORE_EVERYTHING = `(async () => {
  const seen = {
    local: localStorage.getItem('mark'), session: sessionStorage.getItem('mark'), cookie: document.cookie, name: window.name,
    caches: await caches.keys(), databases: (await indexedDB.databases()).map((database) => database.name),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  };
  localStorage.setItem('mark', 'left'); sessionStorage.setItem('mark', 'left'); window.name = 'left';
  document.cookie = 'mark=left; max-age=999';
  await caches.open('left');
  await new Promise((resolve) => { indexedDB.open('left').onsuccess = resolve; });
  await Promise.race([navigator.serviceWorker.register('/worker.js').catch(() => 0), new Promise((r) => setTimeout(r, 300))]);
  return JSON.stringify(seen);
})()`;
const NOTHING = JSON.stringify({
  local: null,
  session: null,
  cookie: '',
  name: '',
  caches: [],
  databases: [],
  workers: 0,
});

let site: TestSite;
let pool: BrowserPool;
let children: RecordedChildren;

/** A path for a browser, and what installs it there. It is removed after the test. */
async function installBrowser(t: TestContext) {
  const { executable: chromium } = await unpackBundledChromium(browserCache);
  const directory = await mkdtemp(join(browserCache, 'broken-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  // The user of the browser can enter it.
  await chmod(directory, 0o755);
  const executable = join(directory, 'chromium');
  return { executable, install: () => writeFile(executable, `#!/bin/sh\nexec '${chromium}' "$@"\n`, { mode: 0o755 }) };
}

function newPool(slots: number, limits = {}, restMs = 0): BrowserPool {
  children = recordChildren();
  return createBrowserPool({
    find: { executable: null, cacheDirectory: browserCache },
    profilesDirectory,
    proxyServer: null,
    userAgentSuffix: null,
    slots,
    children,
    log: quietLog,
    limits,
    restMs,
  });
}

function show<T>(use: (page: Page) => Promise<T>, cacheGroup = 'report', timeLimitMs = patienceMs): Promise<T> {
  const signal = AbortSignal.timeout(patienceMs);
  const request = { purpose: 'check', viewport: DEFAULT_VIEWPORT, cacheGroup, timeLimitMs, signal } as const;
  return pool.withPage(request, ({ page }) => use(page));
}

function titleOf(path: string): (page: Page) => Promise<string> {
  return async (page) => {
    await page.goto(`${site.origin}${path}`);
    return page.title();
  };
}

/** The kind of fault with which a page ends. */
async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof BrowserFault) return error.kind;
    throw error;
  }
  return 'none';
}

function requestsFor(path: string): number {
  return site.requests.filter(({ url }) => url === path).length;
}

before(async () => {
  site = await startTestSite({
    '/': '<!DOCTYPE html><title>plain</title><link rel=stylesheet href=/style.css><p>Text</p>',
    '/style.css': { headers: { 'content-type': 'text/css', 'cache-control': 'max-age=600' }, body: 'p{color:red}' },
    '/worker.js': { headers: { 'content-type': 'text/javascript' }, body: 'addEventListener("fetch",()=>{})' },
    '/unload':
      '<!DOCTYPE html><title>unload</title><script>onbeforeunload=(e)=>{e.preventDefault();return "stay"}</script>',
    '/close': '<!DOCTYPE html><title>close</title><script>window.close()</script>',
    '/windows': '<!DOCTYPE html><title>windows</title><script>setInterval(()=>window.open(),20)</script>',
    '/few-windows': '<!DOCTYPE html><title>few</title><script>window.open("/");window.open("/")</script>',
    '/print':
      '<!DOCTYPE html><title>print</title><script>print();navigator.geolocation.getCurrentPosition(()=>0);Notification.requestPermission()</script>',
    '/download': '<!DOCTYPE html><title>download</title><script>location="/file"</script>',
    '/file': { headers: { 'content-type': 'application/zip', 'content-disposition': 'attachment' }, body: 'zip' },
  });
  pool = newPool(1, { memoryBytes: 280_000_000, memoryHardBytes: 600_000_000 });
  await pool.start();
});

after(async () => {
  await pool?.stop();
  await site?.stop();
  await rm(profilesDirectory, { recursive: true, force: true });
});

it('a page that was enlarged gets back the viewport and the screen of its device', async () => {
  const device = viewportOf(IPHONE_15, false);
  assert.ok(device);
  const tall = { width: device.width, height: 5_000 };
  const request = { purpose: 'check', viewport: device, cacheGroup: 'sizes', timeLimitMs: patienceMs } as const;
  const sizes = await pool.withPage({ ...request, signal: AbortSignal.timeout(patienceMs) }, async (browserPage) => {
    const sizesOf = () =>
      browserPage.page.evaluate('[innerWidth, innerHeight, devicePixelRatio, screen.width, screen.height]');
    await browserPage.page.goto('data:text/html,<meta name=viewport content=width=device-width>');
    const before = await sizesOf();
    await setViewport(browserPage, { ...device, ...tall, screen: tall });
    const enlarged = await sizesOf();
    await setViewport(browserPage, device);
    return { before, enlarged, after: await sizesOf() };
  });
  assert.deepEqual(sizes.before, [393, 659, 3, 393, 852]);
  assert.deepEqual(sizes.enlarged, [393, 5_000, 3, 393, 5_000]);
  assert.deepEqual(sizes.after, sizes.before);
});

it('shared memory uses only a folder that is large enough and open to all users', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sitewarden-shm-'));
  t.after(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  assert.equal(await hasRoomForSharedMemory(1, folder), false);
  await chmod(folder, 0o1777);
  assert.equal(await hasRoomForSharedMemory(1, folder), true);
  assert.equal(await hasRoomForSharedMemory(Number.MAX_SAFE_INTEGER, folder), false);
  assert.equal(await hasRoomForSharedMemory(1, join(folder, 'none')), false);
});

describe('pages of one report', () => {
  it('share the HTTP cache', async () => {
    for (let page = 0; page < 2; page += 1) assert.equal(await show(titleOf('/'), 'sharing'), 'plain');
    assert.equal(requestsFor('/style.css'), 1);
    await show(titleOf('/'), 'another report');
    assert.equal(requestsFor('/style.css'), 2, 'another report loads it again');
    await show(titleOf('/'), 'sharing');
    assert.equal(requestsFor('/style.css'), 2, 'the first report still has it');
  });

  it('share no storage of any kind, not even after one has failed', async () => {
    const look = async (page: Page): Promise<unknown> => {
      await page.goto(site.origin);
      return page.evaluate(STORE_EVERYTHING);
    };
    for (let page = 0; page < 2; page += 1) assert.equal(await show(look), NOTHING);
    const failing = show(async (page) => {
      await look(page);
      throw new Error('the check failed');
    });
    await assert.rejects(failing, { message: 'the check failed' });
    assert.equal(await show(look), NOTHING);
  });
});

describe('a browser with one slot', () => {
  it('ends a page that takes too much memory', async () => {
    // 1.5 GB outside of the JavaScript heap, touched so that it is really allocated.
    const bomb = `(async () => { const all = []; for (let i = 0; i < 30; i++) {
      all.push(new Uint8Array(50e6).fill(1)); await new Promise((r) => setTimeout(r, 100)); } await new Promise(() => 0); })()`;
    assert.equal(await faultOf(show((page) => page.evaluate(bomb))), 'memory');
    assert.equal(await show(titleOf('/')), 'plain');
  });

  it('is restarted when it is killed, and its pages can be retried', async () => {
    const { length } = children.started;
    const killing = show(async (page) => {
      killHard(children.started.at(-1) ?? 0);
      await page.waitForTimeout(20_000);
    });
    assert.equal(await faultOf(killing), 'browser_gone');
    assert.equal(await show(titleOf('/')), 'plain');
    assert.equal(children.started.length, length + 1);
    assert.equal(await pool.isReady(), true);
  });

  it('is killed and restarted when it does not respond', async () => {
    const pid = children.started.at(-1) ?? 0;
    const stopping = async (page: Page): Promise<string> => {
      process.kill(pid, 'SIGSTOP');
      return titleOf('/')(page);
    };
    assert.equal(await faultOf(show(stopping, 'report', 1_000)), 'time_limit');
    // With one slot, the next page waits until the browser is detected as dead.
    assert.equal(await show(titleOf('/')), 'plain');
    await until(() => !children.present.has(pid));
  });

  it('is not ready if it does not respond in time, and continues', async () => {
    const pid = children.started.at(-1) ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      assert.equal(await pool.isReady(), false);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(() => pool.isReady());
    assert.equal(await show(titleOf('/')), 'plain');
    assert.deepEqual([...children.present], [pid]);
  });

  it('collects the garbage that earlier pages left before it would be replaced', async () => {
    const { length } = children.started;
    const heaps: number[] = [];
    // Each page leaves 9 MB, which Chromium collects by itself only above 90 MB.
    for (let count = 0; count < 14; count += 1) {
      await show(async (page) => {
        await page.goto(`${site.origin}/`);
        const cdp = await page.context().newCDPSession(page);
        heaps.push((await cdp.send('Runtime.getHeapUsage')).usedSize);
        await page.evaluate('self.held = Array.from({ length: 400_000 }, (_, index) => ({ index })), 0');
      });
    }
    assert.ok(Math.max(...heaps) < 85_000_000, heaps.join(' '));
    assert.equal(children.started.length, length);
  });
});

describe('pages of one report in several slots', () => {
  before(async () => {
    await pool.stop();
    pool = newPool(2);
  });

  it('share no storage while they are open at the same time', async () => {
    let bothThere = 0;
    const meeting = Promise.withResolvers<void>();
    const look = show.bind(null, async (page) => {
      await page.goto(site.origin);
      await page.evaluate('localStorage.mark = document.cookie = "mark=left"');
      bothThere += 1;
      if (bothThere === 2) meeting.resolve();
      await meeting.promise;
      await page.evaluate('document.cookie = "mark=; max-age=0"; localStorage.clear()');
      return page.evaluate(STORE_EVERYTHING);
    });
    assert.deepEqual(await Promise.all([look(), look()]), [NOTHING, NOTHING]);
  });
  it('gives up a page, or waiting for a page, when the caller aborts', async () => {
    const caller = new AbortController();
    const request = {
      ...({ purpose: 'check', viewport: DEFAULT_VIEWPORT, cacheGroup: 'g' } as const),
      ...{ timeLimitMs: patienceMs, signal: caller.signal },
    };
    const wait = () => faultOf(pool.withPage(request, () => new Promise(() => undefined)));
    const waiting = [wait(), wait(), wait()];
    setTimeout(() => caller.abort(), 300);
    assert.deepEqual(await Promise.all(waiting), ['aborted', 'aborted', 'aborted']);
    const started = children.started.length;
    const atOnce = new AbortController();
    const opening = faultOf(
      pool.withPage({ ...request, cacheGroup: 'h', signal: atOnce.signal }, () => Promise.resolve()),
    );
    setImmediate(() => atOnce.abort());
    assert.equal(await opening, 'aborted');
    assert.equal(await show(titleOf('/')), 'plain');
    assert.equal(children.started.length, started, 'the browser continues');
    assert.equal(await show(titleOf('/')), 'plain');
  });
});

describe('a hostile page', () => {
  const harmless = ['/unload', '/few-windows', '/print', '/close'];
  for (const path of harmless) {
    it(`${path} does not block the slot`, async () => {
      const before = children.started.length;
      await show(titleOf(path)).catch((error: unknown) => assert.ok(error instanceof BrowserFault));
      assert.equal(await show(titleOf('/')), 'plain');
      assert.equal(children.started.length, before, 'the browser continues');
    });
  }

  it('that opens endless windows fails alone', async () => {
    const waiting = show(async (page) => {
      await page.goto(`${site.origin}/windows`, { waitUntil: 'commit' });
      return new Promise(() => undefined);
    });
    assert.equal(await faultOf(waiting), 'windows');
    assert.equal(await show(titleOf('/')), 'plain');
  });

  it('leaves nothing of its console and errors in this process', async () => {
    const kept = await show(async (page) => {
      await page.goto(site.origin);
      await page.evaluate(`(async () => {
        for (let i = 0; i < 2; i++) console.log("x".repeat(1e6) + i);
        for (let i = 0; i < 2; i++) setTimeout(() => { throw new Error("x".repeat(1e6) + i); });
        await new Promise((over) => setTimeout(over, 100));
      })()`);
      return [...(await page.consoleMessages()), ...(await page.pageErrors())];
    });
    assert.equal(kept.length, 0);
  });

  it('cannot download', async () => {
    const download = show(async (page) => {
      const offered = page.waitForEvent('download');
      await page.goto(site.origin);
      await page.evaluate('location = "/file"');
      return (await offered).failure();
    });
    assert.notEqual(await download, null);
  });

  it('that hangs in a script or in dialogs is closed in time, and its slot continues', async () => {
    for (const script of ['for(;;){}', 'for(;;)alert("again")']) {
      const hanging = show((page) => page.evaluate(script), 'report', 1_000);
      assert.equal(await faultOf(hanging), 'time_limit');
      assert.equal(await show(titleOf('/')), 'plain');
    }
  });

  it('that crashes fails alone', async () => {
    const other = show(async (page) => {
      await page.goto(site.origin);
      await page.waitForTimeout(1_500);
      return page.title();
    });
    const signal = AbortSignal.timeout(patienceMs);
    const request = {
      purpose: 'check',
      viewport: DEFAULT_VIEWPORT,
      cacheGroup: 'g',
      timeLimitMs: patienceMs,
      signal,
    } as const;
    const crashing = pool.withPage(request, async ({ page, cdp }) => {
      await page.goto(site.origin);
      await cdp.send('Page.crash');
    });
    assert.equal(await faultOf(crashing), 'crashed');
    assert.equal(await other, 'plain');
    assert.equal(await show(titleOf('/')), 'plain');
  });

  it('whose process is killed fails, and the browser continues', async () => {
    const groups = [...children.started];
    const waiting = show(async (page) => {
      await page.goto(site.origin);
      for (const group of groups) {
        for (const member of groupMembers(group)) if (member.isRenderer) killHard(member.pid);
      }
      return new Promise(() => undefined);
    });
    assert.equal(await faultOf(waiting), 'crashed');
    await until(async () => (await show(titleOf('/')).catch(() => null)) === 'plain');
    assert.equal(children.started.length, groups.length);
  });
});

describe('the browser', () => {
  it('is in the log when it stopped, cannot be restarted and works again', async (t) => {
    await pool.stop();
    const { executable, install } = await installBrowser(t);
    await install();
    const lines: { level: number; msg: string; reason?: string }[] = [];
    const log = createLogger({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
    pool = testPool({ find: { executable, cacheDirectory: browserCache }, profilesDirectory, children, log });
    await pool.start();
    lines.length = 0;
    await rm(executable);
    killHard(children.started.at(-1) ?? 0);
    await until(() => lines.length > 0);
    for (let nth = 0; nth < 3; nth += 1) assert.equal(await pool.isReady(), false);
    await install();
    await until(() => pool.isReady());
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [40, 'The browser stopped unexpectedly'],
        [40, 'The browser could not be restarted'],
        [30, 'The browser is working again'],
      ],
    );
    assert.match(lines[0]?.reason ?? '', /^it ended by SIGKILL/);
    assert.match(lines[1]?.reason ?? '', /ENOENT/);
    await pool.stop();
    assert.equal(lines.length, 3, 'an end that was asked for needs no line');
  });

  it('is looked for again when its files are gone', async (t) => {
    await pool.stop();
    const { executable, install } = await installBrowser(t);
    await install();
    const path = process.env['PATH'];
    t.after(() => void Object.assign(process.env, { PATH: path }));
    process.env['PATH'] = `${dirname(executable)}:${path}`;
    pool = testPool({ find: { executable: null, cacheDirectory: browserCache }, profilesDirectory, children });
    await pool.start();
    await rm(executable);
    killHard(children.started.at(-1) ?? 0);
    await until(() => pool.isReady());
  });

  it('quits when there are no pages for a while, stays ready, and starts again with the next page', async () => {
    await pool.stop();
    pool = newPool(1, {}, 200);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const open = show(async (page) => {
      first.resolve();
      await second.promise;
      return page.title();
    });
    await first.promise;
    // Longer than the rest: a page that is open is work.
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(pool.isResting(), false);
    second.resolve();
    await open;
    await until(() => children.present.size === 0);
    assert.equal(pool.isResting(), true);
    assert.equal(await pool.isReady(), true);
    assert.equal(children.started.length, 1, 'a question about its state does not start it');
    await until(() => processesOf(children.started, profilesDirectory).length === 0);

    assert.equal(await show(titleOf('/')), 'plain');
    assert.equal(children.started.length, 2);
    await until(() => children.present.size === 0);
    await pool.wake();
    assert.equal(children.started.length, 3);
    await until(() => children.present.size === 0);
    assert.equal(pool.isResting(), true, 'it rests without a page, too');
  });

  it('does not rest while it cannot be started', async () => {
    await pool.stop();
    const find = { executable: '/nowhere/chromium', cacheDirectory: browserCache };
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', format: 'json' }, { write: (line) => void lines.push(line) });
    pool = testPool({ find, profilesDirectory, restMs: 20, log });
    await assert.rejects(pool.start());
    await until(() => lines.some((line) => line.includes('The browser is stopped until')));
    assert.deepEqual([await pool.isReady(), pool.isResting(), pool.isBroken()], [false, false, true]);
  });

  it('is replaced after a number of pages without failing any', async () => {
    await pool.stop();
    pool = newPool(2, { pages: 3 });
    const titles = await Promise.all(Array.from({ length: 5 }, () => show(titleOf('/'))));
    assert.deepEqual(new Set(titles), new Set(['plain']));
    assert.equal(children.started.length, 2);
  });

  it('leaves no process when the pool stops with open pages', async () => {
    const groups = [...children.started];
    const open = faultOf(show((page) => page.waitForTimeout(20_000)));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await pool.stop();
    assert.equal(await open, 'aborted');
    // Init reaps zombies of killed processes with a delay.
    await until(() => processesOf(groups, profilesDirectory).length === 0);
    assert.equal(children.present.size, 0);
    assert.equal(await pool.isReady(), false);
  });
});
