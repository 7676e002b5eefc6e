import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type AppLimits, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { messageOf } from '../../src/platform/errors.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { browserCache } from './browser.ts';
import { assertConforms } from './conformance.ts';
import { createTestDatabase } from './database.ts';
import { PATIENT_HTTP } from './patience.ts';
import { sharedValidator } from './shared-parts.ts';
import { until } from './until.ts';

export interface TestApp {
  readonly app: App;
  /** Its settings, for other processes on the same database. */
  readonly environment: Readonly<Record<string, string>>;
  /** What was logged, one line each. */
  readonly logLines: readonly string[];
  /** `http://127.0.0.1:PORT/api/v1`. */
  readonly api: string;
  /** Sends a request with the admin token, GET by default; returns the JSON document. */
  ask<Document = ApiDocument>(path: string, method?: string, attributes?: object): Promise<Document>;
  /** All items of a list, by following `next`. */
  all(path: string): Promise<Item[]>;
  /** Resolves when the report has ended. */
  finished(reportId: string): Promise<Item>;
  /** Resolves when the insights of a finished report are computed, such as its comparison with the previous report. */
  compared(reportId: string): Promise<void>;
  /** Stops the service, and starts it again on the same port and data. @param whileDown runs in between */
  restart(whileDown: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
type Anything = any;
export interface Item {
  readonly id: string;
  readonly type: string;
  readonly attributes: Anything;
  readonly relationships: Anything;
}
interface ApiDocument {
  readonly data: Anything;
  readonly links: { readonly next?: string };
}

/** Pino's level of errors, which are printed. */
const ERROR_LEVEL = 50;
/** Kinds of checks without a browser, which takes most of a second of processor time to start. */
export const WITHOUT_BROWSER: readonly CheckKind[] = ['html', 'link'];
/** How long a report may take, and how often it is polled at first. */
const REPORT_POLLING = { timeoutMs: 600_000, pollMs: 100 };
const TOKEN = 'test-admin-token-0123456789';

/**
 * The whole service in this process, with real parts and its own database and data directory. It shares the HTML
 * validator with other tests unless `SITEWARDEN_VNU_URL` is empty.
 * @param kinds it does checks of these kinds only, or does no work at all (null); default: all
 */
export async function startTestApp(
  environment: Readonly<Record<string, string>> = {},
  limits: AppLimits = {},
  kinds?: readonly CheckKind[] | null,
): Promise<TestApp> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-test-'));
  // As root, the browser runs as another user, who must be able to read its files.
  await chmod(dataDir, 0o755);
  // The bundled browser is unpacked once for all test runs.
  await mkdir(browserCache, { recursive: true });
  await symlink(browserCache, join(dataDir, 'cache'));
  const settings = {
    PORT: '0',
    DATABASE_URL: database.connectionString,
    SITEWARDEN_DATA_DIR: dataDir,
    SITEWARDEN_ADMIN_TOKEN: TOKEN,
    ...(await sharedValidator()),
    ...environment,
  };
  const config = loadConfig(settings, false);
  const logLines: string[] = [];
  const write = (line: string): void => {
    logLines.push(line);
    if (JSON.parse(line).level >= ERROR_LEVEL) process.stderr.write(line);
  };
  const logger = createLogger({ level: 'trace', format: 'json' }, { write });
  const options = { isLongLived: false, limits: { http: PATIENT_HTTP, ...limits } };
  let app = await createApp(config, logger, options);
  const api = `${await app.listen()}/api/v1`;
  if (kinds !== null) await app.startWork(kinds);

  const ask: TestApp['ask'] = async (path, method = 'GET', attributes) => {
    const response = await fetch(path.startsWith('http') ? path : `${api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/vnd.api+json',
        'accept-encoding': 'identity',
      },
      ...(attributes === undefined ? {} : { body: JSON.stringify({ data: { attributes } }) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const document = text === '' ? null : JSON.parse(text);
    const headers = Object.fromEntries(response.headers);
    assertConforms(method, new URL(response.url).pathname, { status: response.status, headers, document });
    return document;
  };
  return {
    get app() {
      return app;
    },
    environment: settings,
    logLines,
    api,
    ask,
    async all(path) {
      const items: Item[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const page: ApiDocument = await ask(next);
        items.push(...page.data);
        next = page.links.next;
      }
      return items;
    },
    async finished(reportId) {
      // Of the database, which takes a tenth of the processor time of a request.
      const report = () => app.db.selectFrom('reports').select('status').where('id', '=', reportId);
      await until(
        ifConnected(async () => ['finished', 'failed'].includes((await report().executeTakeFirstOrThrow()).status)),
        REPORT_POLLING,
      );
      return (await ask(`/reports/${reportId}`)).data;
    },
    compared(reportId) {
      const report = () => app.db.selectFrom('reports').select('insights_pending').where('id', '=', reportId);
      return until(ifConnected(async () => !(await report().executeTakeFirstOrThrow()).insights_pending));
    },
    async restart(whileDown) {
      await app.close();
      await whileDown();
      const { port } = new URL(api);
      app = await createApp(loadConfig({ ...settings, PORT: port }, false), logger, options);
      await app.listen();
      if (kinds !== null) await app.startWork(kinds);
    },
    async close() {
      await app.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns false, too, if a machine with many times more work than cores gave no connection in time. */
function ifConnected(holds: () => Promise<boolean>): () => Promise<boolean> {
  return () =>
    holds().catch((error: unknown) => {
      if (/connection timeout/.test(messageOf(error))) return false;
      throw error;
    });
}
