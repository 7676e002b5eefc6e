import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { ensureFirstAccount } from './accounts/accounts.ts';
import { highestRateLimit } from './accounts/plans.ts';
import { ensureAdminToken } from './accounts/tokens.ts';
import { createServer } from './api/http/server.ts';
import { type BrowserPool, type BrowserPoolOptions, createBrowserPool } from './browser/browser-pool.ts';
import { createInterpreter } from './checking/interpreter.ts';
import type { CheckEngine } from './checks/check-engine.ts';
import type { EngineSettings } from './checks/engine-description.ts';
import { CHECK_KINDS, createEngines, ENGINES } from './checks/registry.ts';
import type { Config } from './config.ts';
import { createCrawledHosts } from './crawling/crawled-hosts.ts';
import { createPageRenderer } from './crawling/rendering/render-page.ts';
import type { CheckKind } from './domain/check.ts';
import { type AddressGuard, createAddressGuard } from './egress/address-guard.ts';
import { type BrowserProxy, startBrowserProxy } from './egress/browser-proxy.ts';
import { createHttpClient, type HttpClientOptions } from './egress/http-client.ts';
import { userAgent } from './egress/user-agent.ts';
import { type ChildRegistry, openChildRegistry } from './platform/child-registry.ts';
import { systemClock } from './platform/clock.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { AppError, messageOf } from './platform/errors.ts';
import type { Logger } from './platform/logger.ts';
import { createReadiness } from './platform/readiness.ts';
import { openSecretBox } from './platform/secret-key.ts';
import { watchStalls } from './platform/stall-watch.ts';
import { VERSION } from './platform/version.ts';
import { ensureWritableDirectory } from './platform/writable-directory.ts';
import { joinWorkers, type Worker } from './queue/worker.ts';
import { startRetention } from './reports/retention.ts';
import { startWork } from './reports/work.ts';
import { startScheduling } from './schedules/start-scheduling.ts';
import { createPageFetcher } from './spider/fetch-page.ts';
import { createMemoryBudget } from './spider/memory-budget.ts';
import { createSharedLimiters } from './spider/rate-limiter.ts';
import { createRobotsFetcher } from './spider/robots.ts';
import { type CredentialStore, createCredentialStore } from './store/credential-store.ts';
import { type Database, type DatabaseUse, type OpenDatabase, openDatabase, serverVersion } from './store/database.ts';
import { migrate } from './store/migrate.ts';
import { sealClearSecrets, verifyDatabaseKey } from './store/stored-secrets.ts';

/** The database of this installation, at the newest schema, with the directory that everything of ours lives in. */
export interface Foundation {
  readonly db: Database;
  /** The same through connections of its own, for work that nobody waits for: it takes none from requests. */
  readonly workDb: Database;
  readonly connectionString: string;
  readonly children: ChildRegistry;
  /** Resolves when the database has ended for good. */
  readonly lost: Promise<AppError>;
  /** Leaves the database; the last process that uses the embedded one stops it. */
  close(): Promise<void>;
}

/**
 * Opens the data directory and the database, which is what every command needs.
 * @throws AppError data_directory_unusable, database_unavailable, database_failed_to_start, migration_failed
 */
export async function openFoundation(config: Config, log: Logger): Promise<Foundation> {
  await openDataDirectory(config.dataDir);
  const children = await openChildRegistry(config.dataDir);
  const { promise: lost, resolve: onLost } = Promise.withResolvers<AppError>();
  const postgres = await openPostgres(config, log, onLost).catch(async (error: unknown) => {
    await children.close();
    throw error;
  });
  const open = (use: DatabaseUse): OpenDatabase =>
    openDatabase(
      postgres.connectionString,
      (error) => log.warn({ reason: messageOf(error) }, 'Lost an idle connection to the database'),
      { use },
    );
  const [requests, work] = [open('requests'), open('work')];
  const { db } = requests;
  const closeAll = async (): Promise<void> => {
    for (const { close } of [requests, work]) await close();
    await postgres.stop();
    await children.close();
  };
  try {
    const applied = await migrateOn(open('migration'));
    if (applied.length > 0) log.info({ migrations: applied }, 'Brought the database up to date');
    if (config.adminToken === null) await ensureFirstAccount(db);
    else await ensureAdminToken(db, config.adminToken);
  } catch (error) {
    await closeAll();
    throw error;
  }
  return {
    db,
    workDb: work.db,
    connectionString: postgres.connectionString,
    children,
    lost,
    close: closeAll,
  };
}

async function migrateOn({ db, close }: OpenDatabase): Promise<string[]> {
  try {
    return await migrate(db);
  } catch (error) {
    throw error instanceof AppError ? error : unreachable(error);
  } finally {
    await close();
  }
}

async function openPostgres(
  config: Config,
  log: Logger,
  onLost: (error: AppError) => void,
): Promise<Pick<EmbeddedPostgres, 'connectionString' | 'stop'>> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl, stop: async () => undefined };
  return startEmbeddedPostgres({ directory: join(config.dataDir, 'postgres'), log, onLost });
}

async function openDataDirectory(path: string): Promise<void> {
  try {
    await ensureWritableDirectory(path);
  } catch (cause) {
    throw new AppError(
      'data_directory_unusable',
      `The data directory ${path} cannot be used: ${messageOf(cause)}. Set SITEWARDEN_DATA_DIR to a folder you can write to.`,
      { cause },
    );
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError(
    'database_unavailable',
    `The database cannot be used: ${messageOf(cause)}. Check DATABASE_URL, and that PostgreSQL 18 runs there.`,
    { cause },
  );
}

/** Everything that runs in one process, put together. The only place that knows all the parts. */
export interface App {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  /** The checkers, to be started one by one by who does not start the work. */
  readonly checkers: readonly Pick<CheckEngine, 'kind' | 'showsPages' | 'start'>[];
  /** What checkers and crawls show pages in; it starts with the first page unless it was started before. */
  readonly browser: Pick<BrowserPool, 'start' | 'containment'>;
  /** Begins to listen. Gives the address. */
  listen(): Promise<string>;
  /** Begins to work on reports, with these kinds of checks. Resolves at once; checkers join as they get ready. */
  startWork(kinds?: readonly CheckKind[]): Promise<void>;
  /** Begins to do what its time brings: runs schedules, deletes what has been kept long enough. After `startWork`. */
  startTimedWork(): void;
  /** Which parts answer right now. */
  ready(): Promise<Readonly<Record<string, boolean>>>;
  /** Resolves when there is nothing more to be done, because the database has ended for good. */
  readonly lost: Promise<AppError>;
  /** Ends everything; afterwards no process of ours is left. Never rejects. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** True for a service, false for a command that ends with one report. */
  readonly isLongLived: boolean;
  /** Other limits than those of the rooms' limits.ts; `http` are those of the spider's requests. */
  readonly limits?: AppLimits;
}

export interface AppLimits {
  readonly http?: HttpClientOptions['limits'];
  readonly browser?: BrowserPoolOptions['limits'];
  readonly a11y?: EngineSettings['a11yLimits'];
}

/** @throws AppError when the data directory, the database or the key cannot be used */
export async function createApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  const foundation = await openFoundation(config, log);
  const addressGuard = createAddressGuard(config);
  try {
    const secretBox = await openSecretBox(config);
    await verifyDatabaseKey(foundation.db, secretBox);
    await sealClearSecrets(foundation.db, secretBox);
    const credentialStore = createCredentialStore(secretBox);
    // Where every address may be reached there is nothing to guard, and pages load faster without a step between.
    const browserProxy = config.allowPrivateNetworks ? null : await startBrowserProxy({ addressGuard });
    return await assemble(config, log, foundation, { ...options, credentialStore, addressGuard, browserProxy });
  } catch (error) {
    await foundation.close();
    throw error;
  }
}

interface Doors extends AppOptions {
  readonly credentialStore: CredentialStore;
  readonly addressGuard: AddressGuard;
  readonly browserProxy: BrowserProxy | null;
}

function readinessOf(
  db: Database,
  engines: readonly CheckEngine[],
  worker: () => Worker | null,
): ReturnType<typeof createReadiness> {
  return createReadiness({
    database: () => serverVersion(db),
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
  }: Pick<Foundation, 'children'> & Pick<Doors, 'browserProxy'> & { readonly limits: AppLimits },
): BrowserPool {
  const cacheDirectory = join(config.dataDir, 'cache');
  return createBrowserPool({
    find: { executable: config.chromium, cacheDirectory },
    profilesDirectory: join(cacheDirectory, 'browser-profiles'),
    proxyServer: browserProxy?.address ?? null,
    userAgentSuffix: userAgent(VERSION, config.contactUrl),
    slots: config.a11yConcurrency,
    children,
    log,
    limits: limits.browser ?? {},
  });
}

async function assemble(config: Config, log: Logger, foundation: Foundation, doors: Doors): Promise<App> {
  const { isLongLived, limits = {}, credentialStore, addressGuard, browserProxy } = doors;
  const { db, workDb, connectionString, children } = foundation;
  const agent = userAgent(VERSION, config.contactUrl);
  const browserPool = browserPoolOf(config, log, { children, browserProxy, limits });
  const interpreter = createInterpreter();
  const httpClient = createHttpClient({ addressGuard, userAgent: agent, limits: limits.http ?? {} });
  const limiters = createSharedLimiters(config.hostRateLimit ?? highestRateLimit(config.planLimits));
  const hosts = createCrawledHosts({ db: workDb, limiters, log });
  const own = { browserPool, httpClient, limiters, a11yLimits: limits.a11y, children, log };
  const engines = await createEngines({ ...config, ...own, isLongLived });
  const metrics = new Registry();
  const stallWatch = watchStalls(metrics, log);
  let server: ReturnType<typeof createServer> | null = null;
  let worker: Worker | null = null;
  let work: ReturnType<typeof startWork> | null = null;
  let timedWork: readonly { stop(): Promise<void> }[] = [];

  const ready = readinessOf(db, engines, () => worker);

  return {
    db,
    credentialStore,
    checkers: engines,
    browser: browserPool,
    lost: foundation.lost,
    ready,
    async listen() {
      server = createServer({ db, credentialStore, clock: systemClock, config, log, ready, metrics });
      return server.listen({ port: config.port, host: config.host }).catch((cause: unknown) => {
        throw listenError(config, cause);
      });
    },
    async startWork(kinds = CHECK_KINDS) {
      worker = await joinWorkers(connectionString, workDb, log);
      const working = engines.filter(({ kind }) => kinds.includes(kind));
      work = startWork({
        db: workDb,
        credentialStore,
        worker,
        engines: working,
        interpreter,
        planLimits: config.planLimits,
        fetchPage: createPageFetcher({ httpClient }),
        fetchRobots: createRobotsFetcher({ httpClient }),
        hosts,
        limiters,
        userAgent: agent,
        budget: createMemoryBudget(),
        renderPage: createPageRenderer({ pool: browserPool, limits: { settleTimeoutMs: config.settleMs } }),
        log,
      });
    },
    startTimedWork() {
      const parts = { db: workDb, credentialStore, clock: systemClock, log };
      timedWork = [
        ...(worker === null ? [] : [startScheduling({ ...config, ...parts, worker })]),
        startRetention({ ...parts, days: config.retentionDays }),
      ];
    },
    async close() {
      const steps = [
        () => server?.close(),
        () => Promise.all(timedWork.map((task) => task.stop())),
        () => work?.stop(),
        () => hosts.close(),
        () => interpreter.close(),
        () => Promise.all(engines.map((engine) => engine.stop())),
        () => worker?.close(),
        () => httpClient.close(),
        () => browserProxy?.close(),
        () => foundation.close(),
        () => stallWatch.stop(),
      ];
      await takeAll(steps, log);
    },
  };
}

/** Takes steps one after the other, also after one that fails: the other parts must end nevertheless. */
async function takeAll(steps: readonly (() => unknown)[], log: Logger): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'A part did not end in order');
    }
  }
}

/**
 * Fails where the port is taken, before anything is started that would have to be stopped again.
 * @throws AppError port_in_use
 */
export async function requireFreePort(config: Config): Promise<void> {
  const probe = createTcpServer().listen(config.port, config.host);
  await once(probe, 'listening').catch((cause: unknown) => {
    throw listenError(config, cause);
  });
  await new Promise((resolve) => probe.close(resolve));
}

function listenError({ host, port }: Config, cause: unknown): AppError {
  const inUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
  const reason = inUse ? 'the port is in use' : messageOf(cause);
  return new AppError('port_in_use', `Cannot listen on ${host}:${port}: ${reason}. Set PORT or HOST to another one.`, {
    cause,
  });
}
