import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type BrowserPool, createBrowserPool } from '../../src/browser/browser-pool.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import type { AddressGuard } from '../../src/egress/address-guard.ts';
import { type BrowserProxy, startBrowserProxy } from '../../src/egress/browser-proxy.ts';
import { browserCache, quietLog, recordChildren } from '../helpers/browser.ts';
import { patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/**
 * Everything that a page loads goes through the proxy, which blocks private addresses: 127.0.0.1 plays the public
 * internet, 127.0.0.2 the private network, and names are looked up by the test.
 */

const PRIVATE = '127.0.0.2';
const names = new Map<string, string[]>([
  ['public.example', ['127.0.0.1']],
  ['private.example', [PRIVATE]],
]);

const lookup: LookupFunction = (hostname, options, callback) => {
  const addresses = names.get(hostname) ?? [];
  // A name with several addresses returns the next one each time, as a DNS rebinding attack does.
  const address = addresses.length > 1 ? addresses.shift() : addresses[0];
  if (address === undefined) callback(new Error(`${hostname} not found`), []);
  else if (address === PRIVATE) callback(new Error('refused'), []);
  else if (options.all === true) callback(null, [{ address, family: 4 }]);
  else callback(null, address, 4);
};
const addressGuard: AddressGuard = { refuses: (address) => address !== '127.0.0.1', lookup };

let proxy: BrowserProxy;
let pool: BrowserPool;
let site: TestSite;
let inside: Server;
const datagrams = createSocket('udp4');
/** Requests that reached the private network. */
const intrusions: string[] = [];
const profilesDirectory = `${browserCache}/proxy-test-${process.pid}`;

before(async () => {
  inside = createServer((request: IncomingMessage, response) => {
    intrusions.push(`${request.headers.host}${request.url}`);
    response.end('secret');
  });
  inside.on('connection', () => intrusions.push('a connection'));
  await new Promise<void>((resolve) => inside.listen(0, PRIVATE, resolve));
  datagrams.on('message', () => intrusions.push('a datagram'));
  await new Promise<void>((resolve) => datagrams.bind(portOf(inside), PRIVATE, resolve));
  proxy = await startBrowserProxy({ addressGuard });
  pool = createBrowserPool({
    find: { executable: null, cacheDirectory: browserCache },
    profilesDirectory,
    proxyServer: proxy.address,
    userAgentSuffix: null,
    slots: 1,
    children: recordChildren(),
    log: quietLog,
  });
  await pool.start();
});
after(async () => {
  await pool?.stop();
  await proxy?.close();
  await site?.stop();
  inside.close();
  datagrams.close();
  await rm(profilesDirectory, { recursive: true, force: true });
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function show<T>(use: (page: Page) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(patienceMs);
  return pool.withPage(
    { purpose: 'check', viewport: DEFAULT_VIEWPORT, cacheGroup: 'g', timeLimitMs: patienceMs, signal },
    ({ page }) => use(page),
  );
}

/** Every way in which a page can send a request, each with its own path. */
function greedyPage(bases: readonly string[]): string {
  const each = (make: (base: string) => string): string => bases.map(make).join('\n');
  return `<!DOCTYPE html><html lang=en><title>greedy</title><link rel=icon href="${bases[0]}/icon">
    ${each((b) => `<link rel=stylesheet href="${b}/css"><link rel=prefetch href="${b}/prefetch"><link rel=preconnect href="${b}"><link rel=preload as=script href="${b}/preload"><link rel=manifest href="${b}/manifest">`)}
    ${each((b) => `<img src="${b}/img" alt=""><iframe src="${b}/frame" title=f></iframe><script src="${b}/script"></script><object data="${b}/object"></object><video src="${b}/video" autoplay muted></video><svg><use href="${b}/use#x"/></svg>`)}
    <img src="/redirect" alt=""><p style="background:url(${bases[0]}/background)">x</p>
    <script>
      const settled = [];
      for (const base of ${JSON.stringify(bases)}) {
        settled.push(fetch(base + '/fetch', { mode: 'no-cors' }).then(() => 'reached', () => 'refused'));
        navigator.sendBeacon(base + '/beacon', 'x');
        new EventSource(base + '/events');
        const socket = new WebSocket(base.replace(/^http/, 'ws') + '/socket');
        settled.push(new Promise((done) => { socket.onopen = () => done('reached'); socket.onerror = () => done('refused'); }));
        const worker = new Worker(URL.createObjectURL(new Blob(['fetch("' + base + '/worker",{mode:"no-cors"}).then(()=>postMessage("reached"),()=>postMessage("refused"))'])));
        settled.push(new Promise((done) => { worker.onmessage = (event) => done(event.data); }));
        window.open(base + '/window');
      }
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.2:PORT' }] });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      window.answers = Promise.all(settled);
    </script>`;
}

describe('the proxy for the browser', () => {
  it('lets a page load public resources as without a proxy', async () => {
    const seen: string[] = [];
    site = await startTestSite({
      '/': '<!DOCTYPE html><title>public</title><link rel=stylesheet href=/css><script>fetch("/post",{method:"POST",body:"sent"}).then(r=>r.text()).then(t=>{document.title=t})</script>',
      '/css': { headers: { 'content-type': 'text/css', 'x-odd': 'ü' }, body: 'p{}' },
      '/post': async (request, response) => {
        seen.push(
          `${request.method} ${await text(request)} ${Object.keys(request.headers)
            .filter((name) => /proxy|via|forwarded/.test(name))
            .join()}`,
        );
        response.end('answered');
      },
      '/broken': (_request, response) => {
        response.writeHead(200, { 'content-length': 100 }).write('part');
        setTimeout(() => response.destroy(), 20);
      },
      '/redirect': { status: 302, headers: { location: `http://${PRIVATE}:${portOf(inside)}/redirected` } },
      '*': { status: 404, body: 'none' },
    });
    const port = new URL(site.origin).port;
    const title = await show(async (page) => {
      await page.goto(`http://public.example:${port}/`);
      await page.waitForFunction('document.title === "answered"');
      return page.title();
    });
    assert.equal(title, 'answered');
    assert.deepEqual(seen, ['POST sent ']);
    const errors = await show(async (page) => {
      await page.goto(`${site.origin}/`);
      return Promise.all(
        ['/broken', 'http://unknown.example/'].map((url) =>
          page.evaluate(
            `fetch(${JSON.stringify(url)}, { mode: 'no-cors' }).then((r) => r.text()).then(() => 'whole', () => 'failed')`,
          ),
        ),
      );
    });
    assert.deepEqual(errors, ['failed', 'failed']);
  });

  it('reaches no private address, however a page tries', async () => {
    const port = portOf(inside);
    names.set('rebinding.example', ['127.0.0.1', PRIVATE, PRIVATE, PRIVATE, PRIVATE, PRIVATE, PRIVATE, PRIVATE]);
    const hosts = [
      PRIVATE,
      '127.2',
      '2130706434',
      '0x7f.0.0.2',
      '[::ffff:7f00:2]',
      'private.example',
      'rebinding.example',
    ];
    const bases = hosts.map((host) => `http://${host}:${port}`);
    const answers = await show(async (page) => {
      await page.route(`${site.origin}/greedy`, (route) =>
        route.fulfill({ contentType: 'text/html', body: greedyPage(bases).replace('PORT', String(port)) }),
      );
      await page.goto(`${site.origin}/greedy`, { waitUntil: 'commit' });
      const all = await page.evaluate<string[]>('new Promise((r) => addEventListener("load", r)).then(() => answers)');
      // A page that is opened directly, and a page that a redirect leads to.
      for (const url of [`${bases[0]}/opened`, `${site.origin}/redirect`]) {
        await assert.rejects(page.goto(url), /ERR_EMPTY_RESPONSE|ERR_TUNNEL|ERR_CONNECTION/);
      }
      return all;
    });
    // rebinding.example led to 127.0.0.1 once, where nothing listens on that port.
    assert.deepEqual(new Set(answers), new Set(['refused']));
    assert.equal(answers.length, 3 * bases.length);
    assert.deepEqual(intrusions, []);
  });

  it('opens no tunnel to a private address or a port of another protocol', async () => {
    const targets = [
      `${PRIVATE}:${portOf(inside)}`,
      `private.example:${portOf(inside)}`,
      '127.0.0.1:25',
      'nonsense',
      '[::1]:80',
    ];
    for (const target of targets) {
      const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
      assert.match(await text(socket), /^HTTP\/1.1 502 /, target);
    }
    assert.deepEqual(intrusions, []);
  });
});
