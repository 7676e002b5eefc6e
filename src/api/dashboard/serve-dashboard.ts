import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../platform/kept-secret.ts';
import type { Database } from '../../store/database.ts';
import { findLinkedReport } from '../../store/reports/share-links.ts';
import { findLinkedSites } from '../../store/reports/site-links.ts';
import { html, htmlPage, sendPage } from '../http/html-page.ts';
import { isBuilt, type MissingBuild, type WebBuild, type WebFile } from './web-build.ts';

/** The app loads its own files and calls its own service, and nothing else. What it shows of sites is only ever text. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Screens whose URL contains a secret. */
const SECRET_PATH = /^\/(?:share|latest|welcome|invitations)\//;
/** Screens of a share link. The app shows the same message for wrong and closed links, with the same status. */
const SHARED_PATHS = [
  ['/share/$secret', findLinkedReport],
  ['/latest/$secret', findLinkedSites],
] as const;
/** The names of these files change with their contents. */
const HASHED = /^assets\//;

/** Plugin for the dashboard. If it has not been built, `/` explains how to build it, and the API still works. */
export function dashboard(
  server: FastifyInstance,
  { web, db }: { readonly web: WebBuild | MissingBuild; readonly db: Database },
  done: () => void,
): void {
  if (!isBuilt(web)) {
    server.get('/', async (_request, reply) => sendPage(reply.code(503), unbuiltPage(web.reason)));
    done();
    return;
  }
  for (const path of web.paths) {
    const [, findLink] = SHARED_PATHS.find(([shared]) => path.startsWith(shared)) ?? [];
    if (findLink !== undefined) {
      server.get<{ Params: { readonly secret: string } }>(routeOf(path), async (request, reply) => {
        const link = await findLink(db, hashSecret(request.params.secret));
        return sendApp(web, request, reply.code(link === undefined ? 404 : 200));
      });
    } else server.get(routeOf(path), (request, reply) => sendApp(web, request, reply));
  }
  for (const [name, file] of web.files) {
    if (name === 'index.html') continue;
    const caching = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
    server.get(`/${name}`, (request, reply) => sendFile(request, reply.header('cache-control', caching), file));
  }
  done();
}

function routeOf(path: string): string {
  return path.replaceAll('$', ':');
}

/** Sends the page that starts the app. The app decides what to show based on its URL. */
export function sendApp({ index }: WebBuild, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isSecret = SECRET_PATH.test(request.url);
  if (isSecret) reply.header('x-robots-tag', 'noindex');
  reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', isSecret ? 'no-referrer' : 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', isSecret ? 'no-store' : 'no-cache');
  return sendFile(request, reply, index);
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const [encoding, content] = /\bbr\b/.test(accepted)
    ? ['br', file.brotli]
    : /\bgzip\b/.test(accepted)
      ? ['gzip', file.gzip]
      : [null, null];
  if (encoding !== null && content !== null) reply.header('content-encoding', encoding);
  return reply
    .header('content-type', file.contentType)
    .header('x-content-type-options', 'nosniff')
    .send(content ?? file.plain);
}

function unbuiltPage(reason: string): string {
  return htmlPage(
    'The dashboard is not built · sitewarden',
    html`<main>
<h1>The dashboard is not built</h1>
<p>Build it in the sitewarden folder, then restart the service:</p>
<pre tabindex="0"><code>npm run build</code></pre>
<p>Reason: ${reason}.</p>
<p>The API works without it. See the <a href="/api/docs">API documentation</a>.</p>
</main>`,
  );
}
