import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Routes } from './test-site.ts';

/** Hostile behaviour of sites, one path each, next to ordinary pages. */

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Route = Routes[string];

const HEAD = '<!DOCTYPE html><html lang="en"><head><title>Page</title></head>';
/** One accessibility error (`image-alt`) and the same HTML error, so that every check shows that it ran. */
const FAULT = '<main><h1>Heading</h1><p>Some words.</p><img src="/picture.png"></main>';
const MEBIBYTE = 1_048_576;

/** A gzip file can consist of many, so a gigabyte of zeros takes 1 MB and is created quickly. */
const BOMB = Buffer.concat(new Array(128).fill(gzipSync(Buffer.alloc(8 * MEBIBYTE))));
const BOMB_IN_BOMB = gzipSync(gzipSync(Buffer.alloc(64 * MEBIBYTE)));

function page(content: string, head = ''): string {
  return `<!DOCTYPE html><html lang="en"><head><title>Page</title>${head}</head><body>${FAULT}${content}</body></html>`;
}

function script(code: string): string {
  return page(`<script>${code}</script>`);
}

function redirect(location: string): Route {
  return { status: 302, headers: { location } };
}

function html(response: ServerResponse, headers: Record<string, string | number> = {}): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
}

/** Writes directly to the connection, bypassing the HTTP server. */
function raw(answer: string | Uint8Array): Handler {
  return ({ socket }) => void socket.end(answer);
}

function repeatedly(response: ServerResponse, everyMs: number, chunk: string): void {
  const timer = setInterval(() => response.write(chunk), everyMs);
  response.on('close', () => clearInterval(timer));
}

/** A page of links that continue without end. */
function links(paths: readonly string[]): string {
  return `${HEAD}<body><main><h1>Links</h1>${paths.map((path) => `<p><a href="${path}">Further on</a></p>`).join('')}</main></body></html>`;
}

/** Responses that never end, never come, or are mislabelled. */
const BROKEN_ANSWERS: Readonly<Record<string, Route>> = {
  '/redirect-circle': redirect('/redirect-circle/back'),
  '/redirect-circle/back': redirect('/redirect-circle'),
  '/redirect-without-end': redirect('/redirect-without-end/1'),
  '/redirect-to-nothing': redirect('http://[nothing'),
  '/silent': () => undefined,
  '/stalling': (_request, response) => void html(response, { 'content-length': 10_000 }).write(HEAD),
  '/dripping': (_request, response) => repeatedly(html(response), 500, ' '),
  '/endless': (_request, response) => {
    // Each chunk waits for the test's event loop, and all of them must arrive in time.
    const chunk = Buffer.alloc(MEBIBYTE, '<p>More');
    const keepWriting = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    html(response).on('drain', keepWriting);
    keepWriting();
  },
  '/bomb': { headers: { 'content-encoding': 'gzip' }, body: BOMB },
  '/bomb-in-bomb': { headers: { 'content-encoding': 'gzip, gzip' }, body: BOMB_IN_BOMB },
  '/length-too-long': (_request, response) => {
    html(response, { 'content-length': 10_000 }).write(HEAD, () => response.destroy());
  },
  '/length-too-short': raw(
    `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${page('').length}\r\n\r\n${page('')}<p id=a id=a>`,
  ),
  '/length-twice': raw(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n${page('')}`),
  '/length-announced-too-large': (_request, response) =>
    void html(response, { 'content-length': 100 * MEBIBYTE }).write(HEAD),
  '/reset': ({ socket }) => void socket.resetAndDestroy(),
  '/reset-midway': (request, response) => {
    html(response, { 'content-length': 10_000 }).write(HEAD, () =>
      setTimeout(() => request.socket.resetAndDestroy(), 50),
    );
  },
  '/chunk-broken-off': raw(
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n${HEAD}`,
  ),
  '/no-http': raw('SSH-2.0-OpenSSH_9.2\r\n'),
  '/huge-headers': raw(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Long: ${'x'.repeat(300_000)}\r\n\r\n`),
  '/gzip-that-is-none': { headers: { 'content-encoding': 'gzip' }, body: page('') },
  '/unknown-compression': { headers: { 'content-encoding': 'sdch' }, body: page('') },
  '/no-content': { status: 204 },
  '/sign-in': { status: 401, headers: { 'www-authenticate': 'Basic realm="Members"' }, body: page('') },
  '/forbidden': { status: 403, body: page('') },
  '/error': { status: 500, body: page('') },
};

/** Declared and actual types. */
const TYPES: Readonly<Record<string, Route>> = {
  '/called-text': { headers: { 'content-type': 'text/plain' }, body: page('') },
  '/called-nothing': (_request, response) => void response.end(page('')),
  '/called-html-is-binary': {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7) % 256)),
  },
  '/called-html-is-empty': { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '' },
  '/xhtml-not-well-formed': { headers: { 'content-type': 'application/xhtml+xml' }, body: page('<br>') },
  '/attachment': { headers: { 'content-disposition': 'attachment; filename="page.html"' }, body: page('') },
};

/** A page that makes a browser wait. It comes first, so that others are checked while it waits. */
const WAITING: Readonly<Record<string, Route>> = {
  '/rest-never-arrives': page(
    '<img alt="" src="/never"><iframe title="Never" src="/never"></iframe><script>fetch("/never")</script>',
  ),
};

/** Pages that are too much of something. */
const LARGE: Readonly<Record<string, Route>> = {
  // Most of them are hidden, as in menus and dialogs: axe takes 10 seconds for 50,000 visible ones.
  '/elements-10000': page(
    `${'<i></i>'.repeat(200)}<p hidden>${'<i></i>'.repeat(8_800)}${Array.from({ length: 1_000 }, (_, index) => `<a href="/linked/${index}">Link</a>`).join(' ')}</p>`,
  ),
  '/errors-5000': page('</b>\n'.repeat(5_000)),
  '/errors-120000': page('\0'.repeat(120_000)),
  '/deep': page(`${'<div>'.repeat(1_000)}Deep${'</div>'.repeat(1_000)}`),
};

/** Scripts that block, and pages that act on the browser. */
const SCRIPTS: Readonly<Record<string, Route>> = {
  '/memory': script('const all = []; for (;;) all.push(new Uint8Array(5e7).fill(1))'),
  '/acts-on-browser': script(
    `alert(1); confirm(2); prompt(3); onbeforeunload = (event) => { event.preventDefault(); return "Stay"; };
    open("/ordinary/"); open("/ordinary/", "named", "popup"); print(); window.close();
    navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready);
    onload = () => { print(); location = "/file.zip" }`,
  ),
  '/refreshes': page('', '<meta http-equiv="refresh" content="0; url=/ordinary/">'),
  '/leaves-while-checked': script(
    'let n = 0; onload = () => setInterval(() => { location = "/ordinary/?" + n++ }, 10)',
  ),
  '/address-without-end': script('let n = 0; setInterval(() => history.pushState(0, "", "?" + n++), 20)'),
  '/sound': page('<audio src="/sound-without-end" autoplay></audio>'),
  '/never-idle': script('let n = 0; setInterval(() => fetch("/echo?" + n++), 200); new EventSource("/events")'),
  '/never-still': page(
    '<p id="mover">Moving</p><script>const step = (t) => { mover.style.left = t % 90 + "px"; requestAnimationFrame(step) }; step(0)</script>',
    '<style>#mover { position: relative; animation: turn 1s infinite } @keyframes turn { to { transform: rotate(1turn) } }</style>',
  ),
  // A script creates them, so all exist at once, however slowly frames load.
  '/frames-10-deep': script(
    'let inner = document; for (let depth = 1; depth <= 10; depth++) { const frame = inner.createElement("iframe"); frame.title = "Depth " + depth; inner.body.append(frame); inner = frame.contentDocument; inner.documentElement.lang = "en"; inner.title = "Depth"; inner.body.innerHTML = depth < 10 ? "<h1>Depth</h1>" : "<h1>Depth</h1><img src=/picture.png>" }',
  ),
  '/breaks-what-it-is-given': page(
    '',
    "<script>JSON.stringify = () => '{}'; Array.prototype.map = () => []; Promise = null; window.axe = 1; Object.prototype.toJSON = () => 0; document.querySelectorAll = () => []; setTimeout = () => 0</script>",
  ),
  '/frame-of-itself': page('<iframe title="Self" src="/frame-of-itself"></iframe>'),
};

/** Ordinary pages, one with faults of both kinds. */
export const ORDINARY: Readonly<Record<string, string>> = {
  '/ordinary/': `${HEAD}<body><main><h1>Ordinary</h1><p><a href="/ordinary/faulty">Faulty</a></p></main></body></html>`,
  '/ordinary/faulty': `${HEAD}<body><main><h1>Faulty</h1><form action=""><input type="text" name="a"><button></button></form>
    <table><tr><td width="10">a<td id="x">b<tr><th id="x"></table><p style="color: #999; background: #fff">Pale <center>words</center></p></main>
    <script>setTimeout(() => document.querySelector('main').append(new Image()), 0)</script></body></html>`,
};

/** Subresources of the pages above. */
const REST: Readonly<Record<string, Route>> = {
  '/picture.png': { status: 404, body: '' },
  '/never': () => undefined,
  '/echo': { headers: { 'content-type': 'text/plain' }, body: 'Here' },
  '/events': (_request, response) => {
    repeatedly(response.writeHead(200, { 'content-type': 'text/event-stream' }), 200, 'data: 1\n\n');
  },
  // A WAV file that lasts for days, as it declares.
  '/sound-without-end': (_request, response) => {
    const header = Buffer.from(
      'RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\xdb\xff\xff\x7f',
      'latin1',
    );
    response.writeHead(200, { 'content-type': 'audio/wav' }).write(header);
    repeatedly(response, 200, '\x80'.repeat(4_000));
  },
  '/worker.js': { headers: { 'content-type': 'text/javascript' }, body: 'onfetch = () => { for (;;); }' },
  '/file.zip': { headers: { 'content-type': 'application/zip', 'content-disposition': 'attachment' }, body: 'PK' },
  '/calendar': ({ url }, response) => {
    const month = Number(new URLSearchParams(url?.split('?')[1]).get('month'));
    html(response).end(links([`/calendar?month=${month - 1}`, `/calendar?month=${month + 1}`]));
  },
  '/calendar-first': links(['/calendar?month=0', ...Object.keys(ORDINARY)]),
  '*': ({ url = '' }, response) => {
    if (url.startsWith('/growing/')) return void html(response).end(links([`${'deeper'.repeat(40)}/`]));
    const hop = Number(/^\/redirect-without-end\/(\d+)$/.exec(url)?.[1] ?? 0);
    if (hop > 0) response.writeHead(302, { location: `/redirect-without-end/${hop + 1}` }).end();
    else response.writeHead(404, { 'content-type': 'text/html' }).end(`${HEAD}<body><h1>Not found</h1></body></html>`);
  },
};

/** The paths that the front page of the hostile site links to, in this order. */
export const HOSTILE_PATHS: readonly string[] = Object.keys({
  ...WAITING,
  ...TYPES,
  ...LARGE,
  ...SCRIPTS,
  ...BROKEN_ANSWERS,
}).filter((path) => path !== '/redirect-circle/back');

export const hostileRoutes: Routes = {
  '/': links([...HOSTILE_PATHS, ...Object.keys(ORDINARY)]),
  ...BROKEN_ANSWERS,
  ...TYPES,
  ...LARGE,
  ...WAITING,
  ...SCRIPTS,
  ...ORDINARY,
  ...REST,
};
