/**
 * Runs a number of workers in one process for `bench/workers.ts`: everything that `work` does, except that the HTML check waits
 * instead of checking, and that its results are the same for all pages. Reports the durations of claims when it ends.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { DEFAULT_LIMITS } from '../src/accounts/plans.ts';
import { createInterpreter, type Interpreter } from '../src/checking/interpreter.ts';
import type { CheckEngine } from '../src/checks/check-engine.ts';
import { createCrawledHosts } from '../src/crawling/crawled-hosts.ts';
import { NO_ACCESS } from '../src/domain/site-access.ts';
import { createAddressGuard } from '../src/egress/address-guard.ts';
import { createHttpClient } from '../src/egress/http-client.ts';
import { workerConnectionsMax } from '../src/platform/limits.ts';
import { createSecretBox, newSecretKey } from '../src/platform/secret-box.ts';
import { joinWorkers } from '../src/queue/worker.ts';
import { startWork } from '../src/reports/start-work.ts';
import { createPageFetcher } from '../src/spider/fetch-page.ts';
import { createMemoryBudget } from '../src/spider/memory-budget.ts';
import { createSharedLimiters } from '../src/spider/rate-limiter.ts';
import { createRobotsFetcher } from '../src/spider/robots.ts';
import { openDatabase } from '../src/store/database.ts';
import { createCredentialStore } from '../src/store/reports/credential-store.ts';
import { NO_JOURNEYS, NO_SESSIONS, WORKING_BROWSER } from '../test/helpers/no-sessions.ts';

/** The parameters, as JSON in the first argument. */
export interface FleetParameters {
  readonly connectionString: string;
  readonly workers: number;
  /** Checks that a worker runs at a time. */
  readonly concurrency: number;
  /** How long a check takes. */
  readonly checkMs: number;
}

/** What the process sends when it is asked to, about the time since the last time. */
export interface FleetFigures {
  readonly claimsMs: readonly number[];
  readonly cpuMs: number;
  readonly statements: number;
  /** Such as attempts that failed because no connection was free. */
  readonly warnings: number;
}

const MESSAGES = 6;
const { connectionString, workers, concurrency, checkMs } = JSON.parse(process.argv[2] ?? '') as FleetParameters;
let warnings = 0;
const log = pino({ level: 'warn', hooks: { logMethod: () => countWarning() } });
const credentialStore = createCredentialStore(createSecretBox(newSecretKey()));
let claimsMs: number[] = [];
let statements = 0;
watchStatements();

const stored = await storedResult();
const httpClient = createHttpClient({
  addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
  userAgent: 'sitewarden/bench',
});
const started: { stop(): Promise<void> }[] = [];
for (let number = 0; number < workers; number += 1) started.push(await startOne());
process.send?.('ready');

let cpu = process.cpuUsage();
process.on('message', (message) => {
  if (message === 'figures') {
    const { user, system } = process.cpuUsage(cpu);
    process.send?.({ claimsMs, cpuMs: (user + system) / 1_000, statements, warnings } satisfies FleetFigures);
    claimsMs = [];
    statements = 0;
    warnings = 0;
    cpu = process.cpuUsage();
  } else void Promise.all(started.map((one) => one.stop())).then(() => process.exit());
});

function countWarning(): void {
  warnings += 1;
}

async function startOne(): Promise<{ stop(): Promise<void> }> {
  const open = (use: 'work' | 'background') =>
    openDatabase(connectionString, () => undefined, { use, limits: { connectionsMax: workerConnectionsMax[use] } });
  const [{ db, close }, background] = [open('work'), open('background')];
  const worker = await joinWorkers(connectionString, db, log);
  const limiters = createSharedLimiters(100);
  const hosts = createCrawledHosts({ db, limiters, log });
  const work = startWork({
    ...{ db, backgroundDb: background.db, worker, hosts, limiters, credentialStore, sessions: NO_SESSIONS, log },
    engines: [waitingEngine()],
    journeys: NO_JOURNEYS,
    browser: WORKING_BROWSER,
    interpreter: { interpret: async () => stored, close: async () => undefined },
    planLimits: DEFAULT_LIMITS,
    userAgent: 'sitewarden/bench',
    fetchPage: createPageFetcher({ httpClient }),
    fetchRobots: createRobotsFetcher({ httpClient }),
    budget: createMemoryBudget(),
    renderPage: () => Promise.reject(new Error('There is no browser.')),
  });
  return {
    async stop() {
      hosts.stopWaiting();
      await work.stop();
      await hosts.close();
      await worker.close();
      await close();
      await background.close();
    },
  };
}

function waitingEngine(): CheckEngine {
  return {
    kind: 'html',
    showsPages: false,
    concurrency,
    start: async () => undefined,
    isReady: async () => true,
    stop: async () => undefined,
    async collect(_, signal) {
      // Not all at the same time.
      await delay(checkMs * (0.5 + Math.random()), undefined, { signal });
      return new Uint8Array();
    },
  };
}

/** Some messages of the validator, as they are stored. */
async function storedResult(): ReturnType<Interpreter['interpret']> {
  const interpreter = createInterpreter();
  const messages = Array.from({ length: MESSAGES }, (_, index) => ({
    type: index % 2 === 0 ? 'error' : 'info',
    message: `Bad value “${index}” for attribute “width” on element “img”.`,
    extract: `<img width="${index}">`,
    ...{ firstLine: index, lastLine: index, firstColumn: 1, lastColumn: 17, hiliteStart: 0, hiliteLength: 17 },
  }));
  const body = Buffer.from('<!DOCTYPE html><title>One</title>');
  const outcome = await interpreter.interpret({
    kind: 'html',
    answer: Buffer.from(JSON.stringify({ messages, version: '1' })),
    url: 'http://site.test/',
    document: { body, contentType: 'text/html' },
    access: NO_ACCESS,
    storesRaw: false,
  });
  await interpreter.close();
  return outcome;
}

/** Counts the statements of this process, and measures those that claim checks. */
function watchStatements(): void {
  const { query } = pg.Client.prototype;
  Object.assign(pg.Client.prototype, {
    query(...parameters: Parameters<typeof query>) {
      statements += 1;
      const answer = Reflect.apply(query, this, parameters);
      const [given] = parameters as unknown as [string | { text?: string }];
      const text = typeof given === 'string' ? given : given.text;
      if (text?.includes('attempts = c.attempts + 1')) {
        const from = performance.now();
        const done = (): unknown => claimsMs.push(performance.now() - from);
        (answer as unknown as Promise<unknown>).then(done, done);
      }
      return answer;
    },
  });
}
