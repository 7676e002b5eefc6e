import assert from 'node:assert/strict';
import { Agent, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import type { OidcSettings } from '../../src/api/auth/oidc-provider.ts';
import { createServer, type ServerParts, type ServerSettings } from '../../src/api/http/server.ts';
import type { PrintDocument } from '../../src/browser/print-document.ts';
import { exportComparison } from '../../src/exports/export-comparison.ts';
import { exportReport } from '../../src/exports/formats.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/store/database.ts';
import { assertConforms } from './conformance.ts';
import { credentialStore } from './credential-store.ts';
import { createTestDatabase } from './database.ts';
import { PATIENT_DATABASE } from './patience.ts';
import { invitePeople, type People } from './people.ts';

export interface TestApi {
  readonly db: Database;
  readonly people: People;
  /** Where the server listens: `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** What the server logged, one line each. */
  readonly logLines: readonly string[];
  send(method: string, path: string, options?: Ask): Promise<Reply>;
  /** Sends a GET, with the owner's token by default. */
  get(path: string, token?: string): Promise<Reply>;
  /** Returns all items of a list, by following `next` from page to page. */
  walk(path: string, token?: string): Promise<Item[]>;
  close(): Promise<void>;
}

export interface Ask {
  /** Default: the owner's; null sends none. */
  readonly token?: string | null;
  /** The attributes of a body in the usual envelope. */
  readonly attributes?: unknown;
  /** A raw body instead of the usual envelope. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
type Anything = any;
export type Item = { id: string; type: string; attributes: Anything; relationships: Anything; links: Anything };

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** The body as UTF-8. */
  readonly text: string;
  /** The JSON document; undefined without content. */
  readonly document: Anything;
  /** `status code` of each error, and where it is. */
  readonly errors: readonly string[];
}

export type ServerOverrides = Partial<ServerSettings> &
  Partial<Pick<ServerParts, 'ready' | 'log' | 'clock' | 'web'>> & {
    /** Default: `printNothing`. */
    readonly print?: PrintDocument;
  };

/** Returns what it should print, without a browser. */
export const printNothing: PrintDocument = async (html) => Buffer.from(html);

/** A server on the database, not listening yet. */
export function testServer(db: Database, overrides: ServerOverrides): ReturnType<typeof createServer> {
  const {
    ready = async () => ({ database: true }),
    log = pino({ level: 'silent' }),
    clock = systemClock,
    web,
    print = printNothing,
    ...settings
  } = overrides;
  return createServer({
    db,
    credentialStore,
    log,
    ready,
    clock,
    ...(web !== undefined && { web }),
    exportReport: (report, format, signal) =>
      exportReport(report, format, { db, diff: null, print: (html) => print(html, signal) }),
    exportComparison,
    // As if the browser had worked.
    testLogin: async (_, { access }) => ({
      ...{ failure: null, failedStep: null, screenshots: access.login.steps.map(() => null), isOpenToStrangers: false },
    }),
    testJourney: async (_, { journey }) => ({
      ...{ failure: null, failedStep: null, screenshots: journey.steps.map(() => null) },
    }),
    onChanges: () => () => undefined,
    config: {
      baseUrl: null,
      host: '127.0.0.1',
      port: 0,
      trustedProxies: [],
      planLimits: DEFAULT_LIMITS,
      standard: null,
      apiRateLimit: null,
      scheduleTimeMs: 0,
      contactUrl: null,
      mailFrom: 'checks@example.com',
      signUp: 'closed',
      metricsPort: null,
      metricsToken: null,
      allowPrivateNetworks: false,
      backupDir: null,
      ...{ oidcIssuer: null, oidcClientId: null, oidcClientSecret: null, oidcName: null },
      ...settings,
    },
  });
}

/** A real server on its own database, with several accounts. No worker runs. */
export async function startApi(
  overrides: Pick<
    ServerOverrides,
    | 'ready'
    | 'print'
    | 'signUp'
    | keyof OidcSettings
    | 'mailFrom'
    | 'planLimits'
    | 'apiRateLimit'
    | 'scheduleTimeMs'
    | 'metricsToken'
    | 'trustedProxies'
    | 'clock'
  > = {},
  options: DatabaseOptions = PATIENT_DATABASE,
): Promise<TestApi> {
  const database = await createTestDatabase();
  const { db, close } = openDatabase(database.connectionString, () => undefined, options);
  const people = await invitePeople(db);
  const logLines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) });
  const server = testServer(db, { log, ...overrides });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true });

  const send = async (method: string, path: string, ask: Ask = {}): Promise<Reply> => {
    const token = ask.token === undefined ? people.owner : ask.token;
    const content = ask.attributes === undefined ? ask.body : { data: { attributes: ask.attributes } };
    const body =
      content === undefined
        ? undefined
        : typeof content === 'string' || Buffer.isBuffer(content)
          ? content
          : JSON.stringify(content);
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/vnd.api+json', ...lengthOf(body, ask.headers) }),
      ...ask.headers,
    };
    const options = { host: '127.0.0.1', port, method, path: asPath(path, origin), headers, agent };
    const reply = await exchange(options, body);
    assertConforms(method, asPath(path, origin), reply);
    return reply;
  };
  const get = (path: string, token?: string): Promise<Reply> => send('GET', path, token === undefined ? {} : { token });
  return {
    db,
    people,
    origin,
    logLines,
    send,
    get,
    async walk(path, token) {
      const items: Item[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const reply: Reply = await get(next, token);
        assert.equal(reply.status, 200, reply.text);
        items.push(...reply.document.data);
        next = reply.document.links.next;
      }
      return items;
    },
    async close() {
      agent.destroy();
      await server.close();
      await close();
      await database.drop();
    },
  };
}

function lengthOf(body: string | Buffer, headers: Ask['headers']): Record<string, number> {
  return headers?.['transfer-encoding'] === undefined ? { 'content-length': Buffer.byteLength(body) } : {};
}

/** Links are absolute; those to this server are followed, any other would be wrong. */
function asPath(pathOrUrl: string, origin: string): string {
  if (!pathOrUrl.startsWith('http')) return pathOrUrl;
  assert.ok(pathOrUrl.startsWith(`${origin}/`), `${pathOrUrl} does not lead to ${origin}`);
  return pathOrUrl.slice(origin.length);
}

/** Sends a request unchanged, without the normalisation of `fetch`. */
export function exchange(options: RequestOptions, body?: string | Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent: false, ...options }, (incoming) => {
      const chunks: Buffer[] = [];
      const isStream = incoming.headers['content-type'] === 'text/event-stream';
      const finish = (): void => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString('utf8');
        const isJson = /json/.test(incoming.headers['content-type'] ?? '') && text !== '';
        const document: Anything = isJson ? JSON.parse(text) : isStream ? text : undefined;
        const errors = (document?.errors ?? []).map((error: Anything) =>
          [error.status, error.code, error.source?.pointer ?? error.source?.parameter].filter(Boolean).join(' '),
        );
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes, text, document, errors });
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!isStream) return;
        // Event streams never end: its beginning is the response.
        finish();
        outgoing.destroy();
      });
      incoming.on('error', reject);
      incoming.on('end', finish);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // After a minute without requests, the server closes the connection, perhaps at the same time.
      if (options.method === 'GET' && outgoing.reusedSocket && error.code === 'ECONNRESET')
        resolve(exchange(options, body));
      else reject(error);
    });
    outgoing.end(body);
  });
}
