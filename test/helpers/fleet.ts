import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isRunning, type ProcessIdentity } from '../../src/platform/process-identity.ts';
import type { Database } from '../../src/store/database.ts';
import {
  childrenOf,
  createInstallation,
  groupOf,
  type Installation,
  isJava,
  isReady,
  isZygote,
  kill,
  type Running,
  type StartOptions,
  withDescendants,
} from './command-line.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** Kinds of processes to kill. A backend is any process of the database server except the postmaster. */
export const VICTIMS = ['serve', 'worker', 'postmaster', 'backend', 'jvm', 'chromium'] as const;
export type Victim = (typeof VICTIMS)[number];

/** One `serve` with its embedded database and one `work`, each restarted whenever it exits. */
export interface Fleet {
  readonly adminToken: string;
  /** `http://127.0.0.1:PORT/api/v1`. */
  readonly api: string;
  /** Resolves when every part of `serve` responds. */
  ready(): Promise<void>;
  /** The living processes of a kind. */
  pidsOf(victim: Victim): number[];
  /** A connection for one query: the database may have been restarted a moment ago. */
  ask<Result>(question: (db: Database) => Promise<Result>): Promise<Result>;
  /** Standard error of `serve` and the worker, for debugging. */
  log(): string;
  /** Stops everything in order. Returns any remaining processes. */
  stop(): Promise<number[]>;
  /** Stops all remaining processes, and removes everything. */
  remove(): void;
}

const RESTART_DELAY_MS = 200;
/** Longer than an orderly stop takes. */
const STOP_TIMEOUT_MS = 60_000;
/** Reading all processes of the machine takes a few milliseconds. */
const LOOK_MS = 400;
const LOG_MAX_CHARACTERS = 200_000;

/** @param common environment of both; with `sharedValidator()`, neither starts Java */
export async function startFleet(common: StartOptions['env'] = {}): Promise<Fleet> {
  const [main, second] = [createInstallation(common), createInstallation(common)];
  const port = await freePort();
  const api = `http://127.0.0.1:${port}/api/v1`;
  const ended: string[] = [];
  const serve = keepRunning(() => main.start(['serve'], { nodeArgs: [], env: { PORT: String(port) } }), ended);
  const ready = (): Promise<void> => until(() => isReady(`http://127.0.0.1:${port}`));
  await ready().catch(async (error: unknown) => {
    await serve.stop();
    for (const installation of [second, main]) installation.remove();
    throw error;
  });
  const work = keepRunning(() => second.start(['work'], { nodeArgs: [], env: workEnvironment(main) }), ended);
  const descendants = watchDescendants(() => [serve.pid(), work.pid(), main.postgresPid()]);

  const recorded = (): number[] => [main, second].flatMap((installation) => installation.recordedChildren());
  const alive = (pids: readonly (number | null)[]): number[] =>
    pids.flatMap((pid) => (pid !== null && identifyProcess(pid) !== null ? pid : []));
  return {
    adminToken: main.adminToken,
    api,
    ready,
    pidsOf(victim) {
      const postmaster = alive([main.postgresPid()]);
      switch (victim) {
        case 'serve':
          return alive([serve.pid()]);
        case 'worker':
          return alive([work.pid()]);
        case 'postmaster':
          return postmaster;
        case 'backend':
          return childrenOf(new Set(postmaster));
        case 'jvm':
          return alive(recorded()).filter(isJava);
        case 'chromium':
          return recorded().flatMap((leader) => groupOf(leader).filter((pid) => !isJava(pid) && !isZygote(pid)));
      }
    },
    async ask(question) {
      const { db, close } = main.open();
      try {
        return await question(db);
      } finally {
        await close();
      }
    },
    log: () => [...ended, serve.stderr(), work.stderr()].join('').slice(-LOG_MAX_CHARACTERS),
    async stop() {
      await work.stop();
      await serve.stop();
      const seen = descendants.stop();
      const left = () => seen.filter(isRunning).map(({ pid }) => pid);
      await until(() => left().length === 0).catch(() => undefined);
      return left();
    },
    remove() {
      for (const installation of [second, main]) installation.remove();
    },
  };
}

function workEnvironment(main: Installation): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: main.connectionString(),
    SITEWARDEN_SECRET_KEY: readFileSync(join(main.dataDir, 'secret.key'), 'utf8'),
    // The sites that it checks are on this machine.
    SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
  };
}

/** A program that is restarted whenever it exits. */
export interface Kept {
  pid(): number | null;
  stderr(): string;
  stop(): Promise<void>;
}

/** Starts a program, and restarts it whenever it exits, as a service manager does. */
export function keepRunning(start: () => Running, ended: string[]): Kept {
  let isStopping = false;
  let running = start();
  const keep = async (): Promise<void> => {
    for (;;) {
      const { stderr } = await running.ended;
      ended.push(stderr);
      if (isStopping) return;
      await delay(RESTART_DELAY_MS);
      if (isStopping) return;
      running = start();
    }
  };
  const kept = keep();
  return {
    pid: () => running.pid,
    stderr: () => running.stderr(),
    async stop() {
      isStopping = true;
      running.child.kill('SIGTERM');
      const timer = setTimeout(() => running.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await kept;
      clearTimeout(timer);
    },
  };
}

/** Finds all descendants of processes, including orphaned ones. */
function watchDescendants(roots: () => readonly (number | null)[]): { stop(): readonly ProcessIdentity[] } {
  const seen = new Map<string, ProcessIdentity>();
  const look = (): void => {
    const parents = new Set(roots().flatMap((pid) => pid ?? []));
    for (const identity of seen.values()) if (isRunning(identity)) parents.add(identity.pid);
    for (const pid of withDescendants(parents)) {
      const identity = identifyProcess(pid);
      if (identity !== null) seen.set(`${identity.pid} ${identity.startTime}`, identity);
    }
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return [...seen.values()];
    },
  };
}

/** Kills a random process of a kind. @returns its pid; null if there is none */
export function killOne(fleet: Fleet, victim: Victim, random: () => number): number | null {
  const pids = fleet.pidsOf(victim);
  const pid = pids[Math.floor(random() * pids.length)];
  if (pid === undefined) return null;
  kill(pid);
  return pid;
}
