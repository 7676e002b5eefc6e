import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { Fetch } from '../packages/client/client.ts';
import { highestRateLimit } from './accounts/plans.ts';
import type { createServer, ServerParts } from './api/http/server.ts';
import { type BrowserPool, type BrowserPoolOptions, createBrowserPool } from './browser/browser-pool.ts';
import { createPrinter, type PrintDocument } from './browser/print-document.ts';
import { createInterpreter } from './checking/interpreter.ts';
import type { CheckEngine } from './checks/check-engine.ts';
import type { EngineSettings } from './checks/engine-description.ts';
import { CHECK_KINDS, createEngines, ENGINES } from './checks/registry.ts';
import type { Config } from './config.ts';
import { createCrawledHosts } from './crawling/crawled-hosts.ts';
import { createJourneyTester } from './crawling/journeys/test-journey.ts';
import { createPageRenderer } from './crawling/rendering/render-page.ts';
import type { CheckKind } from './domain/check.ts';
import { type AddressGuard, createAddressGuard } from './egress/address-guard.ts';
import type { BrowserProxy } from './egress/browser-proxy.ts';
import { createHttpClient, type HttpClientOptions } from './egress/http-client.ts';
import { createMailer, type Mailer } from './egress/mailer.ts';
import { userAgent } from './egress/user-agent.ts';
import { databaseUnusable, type EarlyParts, type Foundation, openFoundation } from './foundation.ts';
import { createReportSessions } from './logins/report-sessions.ts';
import { createLoginTester } from './logins/test-login.ts';
import { fetchFrom } from './mcp/fetch-from.ts';
import { measureParts } from './metrics/measure-parts.ts';
import { createProcessMetrics, type Meters } from './metrics/process-metrics.ts';
import { startDelivering } from './notifications/deliver.ts';
import { webhookLimits } from './notifications/send-webhook.ts';
import { startDigests } from './notifications/start-digests.ts';
import type { ChildRegistry } from './platform/child-registry.ts';
import { systemClock } from './platform/clock.ts';
import { isTransient } from './platform/database-errors.ts';
import { AppError, messageOf } from './platform/errors.ts';
import { listenError } from './platform/listen-error.ts';
import type { Logger } from './platform/logger.ts';
import { createReadiness } from './platform/readiness.ts';
import { createSecretBox, newSecretKey, type SecretBox } from './platform/secret-box.ts';
import { isRotationPending, openSecretBox } from './platform/secret-key.ts';
import { watchStalls } from './platform/stall-watch.ts';
import { VERSION } from './platform/version.ts';
import { type Pausable, startPausable } from './queue/pausable.ts';
import { joinWorkers, type Worker } from './queue/worker.ts';
import { startRetention } from './reports/retention.ts';
import { startWork } from './reports/start-work.ts';
import { startScheduling } from './schedules/run-schedule.ts';
import { startScheduledBackups } from './schedules/scheduled-backups.ts';
import { createPageFetcher } from './spider/fetch-page.ts';
import { createMemoryBudget } from './spider/memory-budget.ts';
import { createSharedLimiters } from './spider/rate-limiter.ts';
import { createRobotsFetcher } from './spider/robots.ts';
import { limiterClock } from './spider/slot-queue.ts';
import { verifyDatabaseKey } from './store/backup/stored-secrets.ts';
import { createCountExchange } from './store/counts/count-exchange.ts';
import { createRateShares, SHARE_MS } from './store/counts/rate-shares.ts';
import { type Database, isWritable, serverVersion } from './store/database.ts';
import type { WorkerProcess } from './store/living-workers.ts';
import { type CredentialStore, createCredentialStore } from './store/reports/credential-store.ts';

/** All parts of a process. Only this module knows all of them. */
export interface App {
  readonly db: Database;
  /** For commands that need their own connections to this database. */
  readonly connectionString: string;
  readonly credentialStore: CredentialStore;
  /** The engines, for commands that start them without `startWork`. */
  readonly engines: readonly Pick<CheckEngine, 'kind' | 'showsPages' | 'start'>[];
  /** The browser that engines and crawls use. It starts with the first page unless it has been started before. */
  readonly browser: Pick<BrowserPool, 'start' | 'containment' | 'isBroken'>;
  readonly print: PrintDocument;
  /** Null if this installation sends no email. */
  readonly mailer: Pick<Mailer, 'verify'> | null;
  readonly metrics: Registry;
  /** Starts the HTTP server and returns its address. */
  listen(): Promise<string>;
  /** Handles a request to the API in this process, even without `listen`. */
  readonly fetch: Fetch;
  /**
   * Starts to work on reports, with these kinds of checks, unless the installation is paused. Does not wait until the engines are
   * ready.
   */
  startWork(kinds?: readonly CheckKind[]): Promise<void>;
  /** Starts to run schedules and to delete old reports. Call it after `startWork`. */
  startTimedWork(): void;
  /**
   * Starts to deliver notifications. Call it after `startWork`.
   * @param options.takesEmails false to leave emails to other processes, if this process has no mail server
   */
  startNotifying(options: { readonly takesEmails: boolean }): void;
  /** Returns whether each part is ready. */
  ready(): Promise<Readonly<Record<string, boolean>>>;
  /** Resolves when the embedded database has ended and cannot be started again. */
  readonly lost: Promise<AppError>;
  /** Reports from now on that the service is not ready, so that proxies send no more requests. It still responds. */
  drain(): void;
  /** Stops all parts and ends their processes. Never rejects. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** True for a service, false for a command that ends after one report. */
  readonly isLongLived: boolean;
  /** True for a process that serves no requests. Default: false. */
  readonly isWorker?: boolean;
  /** False for a command that only reads: then, a database without a recorded key does not adopt the key of this process. */
  readonly adoptsKey?: boolean;
  /** Called instead of failing if the key is unusable, or is not the key of the database. Encrypted data stays unreadable. */
  readonly onKeyFault?: (fault: unknown) => void;
  /**
   * Engines that a command is about to use. They start at the same time as the embedded database, unless another process uses the
   * database and may do the work. If an engine fails, its next start reports that.
   */
  readonly startsEarly?: readonly CheckKind[];
  /** Override the defaults in the folders' `limits.ts`; `http` is for the spider's requests. */
  readonly limits?: AppLimits;
}

export interface AppLimits {
  readonly http?: HttpClientOptions['limits'];
  readonly browser?: BrowserPoolOptions['limits'];
  readonly a11y?: EngineSettings['a11yLimits'];
}

/** @throws AppError if the data directory, the database or the key cannot be used */
export async function createApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  const addressGuard = createAddressGuard(config);
  // If every address is allowed, there is nothing to guard, and pages load faster without a proxy.
  const browserProxy = config.allowPrivateNetworks ? null : await proxyFor(addressGuard);
  const parts = { ...options, addressGuard, browserProxy };
  let tools: ReturnType<typeof createEngineTools> | null = null;
  const toolsFor = (children: ChildRegistry) => (tools ??= createEngineTools(config, log, children, parts));
  const early: EarlyParts = {
    start: (children) => void startEarly(toolsFor(children), options.startsEarly),
    stop: async () => void (await tools?.then(({ engines }) => Promise.all(engines.map((engine) => engine.stop())))),
  };
  const foundation = await openFoundation(config, log, { early, isWorker: options.isWorker ?? false }).catch(
    async (error: unknown) => {
      await browserProxy?.close();
      throw error;
    },
  );
  try {
    const secretBox = await openVerifiedBox(config, foundation.db, options).catch((error: unknown) => {
      throw isTransient(error) ? databaseUnusable(error) : error;
    });
    const credentialStore = createCredentialStore(secretBox);
    const engineTools = await toolsFor(foundation.children);
    return await assemble(config, log, foundation, { ...parts, credentialStore, engineTools });
  } catch (error) {
    await foundation.close();
    await browserProxy?.close();
    throw error;
  }
}

/** @throws AppError secret_key_unusable, secret_key_mismatch, unless `onKeyFault` handles them */
async function openVerifiedBox(
  config: Config,
  db: Database,
  { adoptsKey, onKeyFault }: Pick<AppOptions, 'adoptsKey' | 'onKeyFault'>,
): Promise<SecretBox> {
  try {
    const secretBox = await openSecretBox(config);
    await verifyDatabaseKey(db, secretBox, adoptsKey);
    return secretBox;
  } catch (cause) {
    const isInterrupted = config.secretKey === null && isRotationPending(config.dataDir);
    const fault = isInterrupted ? interruptedRotation(cause) : cause;
    if (onKeyFault === undefined) throw fault;
    onKeyFault(fault);
    return createSecretBox(newSecretKey());
  }
}

function interruptedRotation(cause: unknown): AppError {
  const problem = 'A key rotation was interrupted. To complete it, run sitewarden rotate-key again.';
  return new AppError('secret_key_mismatch', problem, { cause });
}

/** Imports the proxy when it is needed: if a module imports `node:http`, that loads Node's client for `fetch`, 5% of a start. */
async function proxyFor(addressGuard: AddressGuard): Promise<BrowserProxy> {
  const { startBrowserProxy } = await import('./egress/browser-proxy.ts');
  return startBrowserProxy({ addressGuard });
}

interface AppParts extends AppOptions {
  readonly credentialStore: CredentialStore;
  readonly addressGuard: AddressGuard;
  readonly browserProxy: BrowserProxy | null;
  readonly engineTools: Awaited<ReturnType<typeof createEngineTools>>;
}

/** Starts engines without waiting for them. Never rejects. */
async function startEarly(
  tools: ReturnType<typeof createEngineTools>,
  kinds: readonly CheckKind[] = [],
): Promise<void> {
  const { engines } = await tools.catch(() => ({ engines: [] }));
  for (const { kind, start } of engines) if (kinds.includes(kind)) start().catch(() => undefined);
}

function readinessOf(
  db: Database,
  engines: readonly CheckEngine[],
  worker: () => Worker | null,
): ReturnType<typeof createReadiness> {
  return createReadiness({
    database: () => serverVersion(db),
    writable: () => isWritable(db),
    queue: async () => worker()?.isConnected() === true,
    ...Object.fromEntries(
      ENGINES.flatMap(({ kind, dependsOn }) => {
        const engine = engines.find((candidate) => candidate.kind === kind);
        return dependsOn === null || engine === undefined ? [] : [[dependsOn, engine.isReady]];
      }),
    ),
  });
}

function browserPoolOf(
  config: Config,
  log: Logger,
  {
    children,
    browserProxy,
    limits,
  }: { readonly children: ChildRegistry } & Pick<AppParts, 'browserProxy'> & { readonly limits: AppLimits },
): BrowserPool {
  const cacheDirectory = join(config.dataDir, 'cache');
  return createBrowserPool({
    find: { executable: config.chromium, cacheDirectory },
    profilesDirectory: join(cacheDirectory, 'browser-profiles'),
    proxyServer: browserProxy?.address ?? null,
    userAgentSuffix: userAgent(VERSION, config.contactUrl),
    slots: config.a11yConcurrency,
    restMs: config.restMs,
    children,
    log,
    limits: limits.browser ?? {},
  });
}

/** Sends notifications: requests through the guard, and emails if the operator has set up a mail server. */
function sendersOf({ smtpUrl, mailFrom }: Config, addressGuard: AddressGuard, agent: string) {
  const httpClient = createHttpClient({ addressGuard, userAgent: agent, limits: webhookLimits });
  const mailer = smtpUrl === null || mailFrom === null ? null : createMailer({ smtpUrl, mailFrom });
  return { httpClient, mailer, close: () => Promise.all([httpClient.close(), mailer?.close()]) };
}

/** Creates the engines and the parts that they share with crawls, without starting them. */
async function createEngineTools(
  config: Config,
  log: Logger,
  children: ChildRegistry,
  { isLongLived, limits = {}, addressGuard, browserProxy }: Omit<AppParts, 'credentialStore' | 'engineTools'>,
) {
  const agent = userAgent(VERSION, config.contactUrl);
  const browserPool = browserPoolOf(config, log, { children, browserProxy, limits });
  const httpClient = createHttpClient({ addressGuard, userAgent: agent, limits: limits.http ?? {} });
  const rateShares = createRateShares();
  const hostLimit = config.hostRateLimit ?? highestRateLimit(config.planLimits);
  const limiters = createSharedLimiters(hostLimit, limiterClock, rateShares);
  const shared = { browserPool, httpClient, limiters, a11yLimits: limits.a11y, children, log };
  const engines = await createEngines({ ...config, ...shared, isLongLived });
  return { agent, browserPool, httpClient, limiters, rateShares, engines };
}

/** Creates the parts that request sites and check pages, without starting them. */
function createTools(
  config: Config,
  log: Logger,
  { workDb }: Foundation,
  { addressGuard, engineTools, credentialStore, meters }: AppParts & { readonly meters: Meters },
) {
  const { agent, browserPool, httpClient, limiters, rateShares, engines } = engineTools;
  const shareExchange = createCountExchange({ db: workDb, log, withinMs: SHARE_MS });
  rateShares.connect(shareExchange);
  const interpreter = createInterpreter();
  const senders = sendersOf(config, addressGuard, agent);
  const hosts = createCrawledHosts({ db: workDb, limiters, log });
  const fetchPage = createPageFetcher({ httpClient });
  const fetching = {
    fetchPage: async (...[url, options]: Parameters<typeof fetchPage>) => {
      const page = await fetchPage(url, options);
      meters.onFetch(page.kind);
      return page;
    },
    fetchRobots: createRobotsFetcher({ httpClient }),
    budget: createMemoryBudget(),
    renderPage: createPageRenderer({ pool: browserPool, limits: { settleTimeoutMs: config.settleMs } }),
  };
  const sessions = createReportSessions({ db: workDb, credentialStore, pool: browserPool, log });
  return {
    ...{ browserPool, httpClient, senders, engines, shareExchange, print: createPrinter(browserPool) },
    /** The parts that work on reports, except for the engines. */
    workTools: {
      ...{ interpreter, hosts, limiters, sessions, userAgent: agent, browser: browserPool, ...fetching },
      journeys: { pool: browserPool, engines, limits: { settleTimeoutMs: config.settleMs } },
    },
  };
}

async function assemble(config: Config, log: Logger, foundation: Foundation, parts: AppParts): Promise<App> {
  const { credentialStore, browserProxy, isLongLived, isWorker = false } = parts;
  const { db, workDb, backgroundDb, connectionString } = foundation;
  const { registry, meters } = createProcessMetrics({ command: isWorker ? 'work' : 'serve', isLongLived });
  const tools = createTools(config, log, foundation, { ...parts, meters });
  const { browserPool, httpClient, senders, engines, shareExchange, print, workTools } = tools;
  const ready = readinessOf(db, engines, () => worker);
  measureParts(registry, { ...config, ...foundation, engines, ready, isWorker });
  const [stallWatch, draining] = [watchStalls(registry, log), new AbortController()];
  let server: Promise<ReturnType<typeof createServer>> | null = null;
  let address = `http://${config.host}:${config.port}`;
  const own = workerProcess(parts);
  let worker: Worker | null = null;
  let tasks: Pausable | null = null;

  const createApi = (onChanges: ServerParts['onChanges']) =>
    createWholeServer(
      { db, credentialStore, config, log, ready, isDraining: () => draining.signal.aborted, registry, onChanges },
      { print, pool: browserPool },
    );
  return {
    ...{ db, connectionString, credentialStore, engines, ready, mailer: senders.mailer, metrics: registry },
    ...{ browser: browserPool, print, lost: foundation.lost },
    async listen() {
      worker ??= await joinWorkers(connectionString, workDb, log, { process: own });
      server = createApi(worker.onChanges);
      address = await (await server).listen({ port: config.port, host: config.host }).catch((cause: unknown) => {
        throw listenError({ ...config, settings: 'PORT or HOST' }, cause);
      });
      return address;
    },
    async fetch(url, init) {
      // Doesn't join the workers, because a process that has joined is expected to work. So changes are not announced, but only
      // `GET /events` needs that.
      server ??= createApi(() => () => undefined);
      return fetchFrom(await server)(url, init);
    },
    async startWork(kinds = CHECK_KINDS) {
      worker ??= await joinWorkers(connectionString, workDb, log, { process: own });
      const parts = { db: workDb, worker, log };
      tasks ??= await startPausable(parts);
      const chosen = engines.filter(({ kind }) => kinds.includes(kind));
      tasks.run(() => [
        startWork({ ...config, ...workTools, ...meters, ...parts, backgroundDb, credentialStore, engines: chosen }),
      ]);
    },
    startTimedWork() {
      if (worker === null) return;
      const parts = { db: workDb, worker, credentialStore, clock: systemClock, log };
      const sendsEmail = senders.mailer !== null;
      tasks?.run(() => [
        startScheduling({ ...config, ...parts }),
        startScheduledBackups({ ...config, ...parts, db: backgroundDb, connectionString, sendsEmail }),
        startRetention({
          ...meters,
          ...parts,
          db: backgroundDb,
          days: config.retentionDays,
          auditDays: config.auditDays,
        }),
      ]);
    },
    startNotifying({ takesEmails }) {
      if (worker === null) return;
      const parts = { db: backgroundDb, worker, clock: systemClock, log };
      const notified = { ...senders, box: credentialStore.box, baseUrl: config.baseUrl ?? address, takesEmails };
      tasks?.run(() => [startDigests(parts), startDelivering({ ...meters, ...parts, ...notified })]);
    },
    drain: () => draining.abort(),
    async close() {
      await runAll(log, [
        () =>
          server?.then(
            (created) => created.close(),
            () => undefined,
          ),
        () => workTools.hosts.stopWaiting(),
        () => tasks?.stop(),
        () => workTools.hosts.close(),
        () => workTools.interpreter.close(),
        () => Promise.all(engines.map((engine) => engine.stop())),
        () => worker?.close(),
        () => Promise.all([shareExchange.close(), httpClient.close()]),
        () => senders.close(),
        () => browserProxy?.close(),
        () => foundation.close(),
        () => stallWatch.stop(),
      ]);
    },
  };
}

/** What operators see of this process. */
function workerProcess({ isWorker, isLongLived, startsEarly: engines = CHECK_KINDS }: AppOptions): WorkerProcess {
  const command = isWorker === true ? 'work' : isLongLived ? 'serve' : 'check';
  return { host: hostname(), pid: process.pid, version: VERSION, command, engines };
}

/**
 * Creates the server with the parts that use the API but do not belong to it. Imports them now, because most commands serve
 * nothing, and they are a third of the code.
 */
async function createWholeServer(
  parts: Omit<ServerParts, 'clock' | 'exportReport' | 'exportComparison' | 'testLogin' | 'testJourney'> & {
    readonly config: Config;
  },
  { print, pool }: { readonly print: PrintDocument; readonly pool: Pick<BrowserPool, 'withPage'> },
): Promise<ReturnType<typeof createServer>> {
  const { db, credentialStore, config, log } = parts;
  const [api, { exportReport }, { exportComparison }, { serveMcp }] = await Promise.all([
    import('./api/http/server.ts'),
    import('./exports/formats.ts'),
    import('./exports/export-comparison.ts'),
    import('./mcp/serve-mcp.ts'),
  ]);
  const server = api.createServer({
    ...{ ...parts, clock: systemClock, exportComparison },
    exportReport: (report, format, signal) =>
      exportReport(report, format, { db, diff: null, print: (html) => print(html, signal) }),
    testLogin: createLoginTester({ db, credentialStore, pool }),
    testJourney: createJourneyTester({
      ...{ db, credentialStore, pool },
      limits: { settleTimeoutMs: config.settleMs },
    }),
  });
  server.register(serveMcp, { config, log });
  return server;
}

/** Runs steps one after another, and continues after errors. */
async function runAll(log: Logger, steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'Could not stop a component cleanly');
    }
  }
}
