import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { TestContext } from 'node:test';

/** A request as the site saw it. */
interface SeenRequest {
  readonly method: string;
  /** Path and query as requested. */
  readonly url: string;
  /** `performance.now()` when the head of the request had been read. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  readonly userAgent: string;
}

interface FixedAnswer {
  /** 200 unless given. */
  readonly status?: number;
  /** `content-type` is `text/html` unless given. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

type Route = FixedAnswer | string | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>);

/** By path and query, else by path alone, else under `*`; anything else is 404. A string is an HTML body. */
export type Routes = Readonly<Record<string, Route>>;

interface Directory {
  readonly directory: string;
}

type Content = Routes | Directory;

export interface TestSiteOptions {
  /** Serve https with this key and certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Headers added to every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestSite {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly origin: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: SeenRequest[];
  stop(): Promise<void>;
}

/** A website on a free port of 127.0.0.1, with the given routes or the files of a directory. */
export async function startTestSite(content: Content, options: TestSiteOptions = {}): Promise<TestSite> {
  const requests: SeenRequest[] = [];
  const answer = isDirectory(content) ? directoryAnswer(content.directory) : routesAnswer(content);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '/';
    requests.push({
      method: request.method ?? '',
      url,
      at: performance.now(),
      headers: request.headers,
      userAgent: request.headers['user-agent'] ?? '',
    });
    for (const [name, value] of Object.entries(options.headers ?? {})) response.setHeader(name, value);
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A website that ends with its test. Its routes can call `origin()` during requests. */
export async function siteWith(
  t: TestContext,
  content: Content | ((origin: () => string) => Routes),
  options?: TestSiteOptions,
): Promise<TestSite> {
  let origin = '';
  const site = await startTestSite(typeof content === 'function' ? content(() => origin) : content, options);
  origin = site.origin;
  t.after(() => site.stop());
  return site;
}

/**
 * Responds with a page, slowly until it is released: a byte every other second, for the minute that the service allows a page. It
 * would not wait as long for the beginning of a response.
 */
export async function dripUntil(released: Promise<void>, response: ServerResponse, page: string): Promise<void> {
  let sent = 0;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).flushHeaders();
  const timer = setInterval(() => {
    response.write(page.charAt(sent));
    sent += 1;
  }, 2_000);
  response.on('close', () => clearInterval(timer));
  await released;
  clearInterval(timer);
  if (!response.destroyed) response.end(page.slice(sent));
}

/** An HTML page with only a title and links. */
export function pageWith(...links: readonly string[]): string {
  return `<!DOCTYPE html><title>x</title>${links.map((href) => `<a href="${href}">x</a>`).join('')}`;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function isDirectory(content: Content): content is Directory {
  return typeof content['directory'] === 'string';
}

function routesAnswer(routes: Routes): Answer {
  return async (request, response) => {
    const url = request.url ?? '/';
    const route = routes[url] ??
      routes[url.split('?', 1)[0] ?? url] ??
      routes['*'] ?? { status: 404, body: 'Not found' };
    if (typeof route === 'function') {
      await route(request, response);
      return;
    }
    const { status = 200, headers = {}, body = '' }: FixedAnswer = typeof route === 'string' ? { body: route } : route;
    response.statusCode = status;
    response.setHeader('content-type', 'text/html');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
}

/** As nginx serves files: types by extension without charset, the directory's index, a redirect to the slash. */
function directoryAnswer(root: string): Answer {
  return async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://test.invalid');
    const path = join(root, normalize(decodeURIComponent(pathname)));
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() === true && !pathname.endsWith('/')) {
      response.writeHead(301, { location: `${pathname}/${search}` }).end();
      return;
    }
    const file = found?.isDirectory() === true ? join(path, 'index.html') : path;
    const body = await readFile(file).catch(() => null);
    if (body === null) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>404 Not Found</title>');
      return;
    }
    response.writeHead(200, { 'content-type': typeOf(file), 'content-length': body.byteLength }).end(body);
  };
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.xml': 'text/xml',
  '.txt': 'text/plain',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.pdf': 'application/pdf',
};

function typeOf(file: string): string {
  return contentTypes[extname(file).toLowerCase()] ?? 'application/octet-stream';
}
