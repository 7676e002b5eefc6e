import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { testDataDirectory } from './shared-parts.ts';
import { until } from './until.ts';

/** The command line as people start it: real processes on a data directory of their own. */
export interface Installation {
  readonly dataDir: string;
  readonly adminToken: string;
  /** Starts a command through the wrapper that `npm start` runs. */
  start(args: readonly string[], options?: StartOptions): Running;
  /** Runs a command to its end. */
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Starts `serve` on a free port; resolves when it says where it listens. */
  serve(options?: StartOptions): Promise<Serving>;
  /** The processes of engines that are recorded in the data directory. */
  recordedChildren(): number[];
  /** Processes that have the data directory in their command line: database, browser. */
  processes(): number[];
  /** The pid of the database's server; null when none is running. */
  postgresPid(): number | null;
  /** Of the running database. */
  connectionString(): string;
  /** The running database. */
  open(): OpenDatabase;
  /** Stops all remaining processes, and removes everything. */
  remove(): void;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Node's own arguments; the command line is then run without the wrapper. */
  readonly nodeArgs?: readonly string[];
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
}

export interface Serving extends Running {
  readonly origin: string;
  ready(): Promise<void>;
}

const projectDirectory = join(import.meta.dirname, '../..');
/** Of compiled code, as the wrapper sets it. */
export const compileCache = { NODE_COMPILE_CACHE: join(projectDirectory, 'node_modules', '.cache', 'sitewarden') };
const adminToken = 'token-of-the-life-cycle-test';

/** Settings of the machine that runs the tests must have no effect. */
const bareEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(SITEWARDEN_|NODE_|DATABASE_URL$|PORT$|HOST$|FORCE_COLOR$)/.test(name),
  ),
);

/**
 * @param common environment of every command; with `sharedValidator()` it starts no Java of its own
 * @param directory where sitewarden is installed; this checkout unless given
 */
export function createInstallation(
  common: StartOptions['env'] = {},
  directory: string = projectDirectory,
): Installation {
  const dataDir = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
  // If the tests run as root, browser and database run as other users, who must be able to enter the folder.
  chmodSync(dataDir, 0o755);
  // The bundled browser is unpacked once for all test runs.
  mkdirSync(join(testDataDirectory, 'cache'), { recursive: true });
  symlinkSync(join(testDataDirectory, 'cache'), join(dataDir, 'cache'));
  const started = new Set<Running>();

  const start: Installation['start'] = (args, { env = {}, nodeArgs } = {}) => {
    const program = nodeArgs === undefined ? ['scripts/run.mjs'] : [...nodeArgs, 'src/cli.ts'];
    const running = watch(
      spawn(process.execPath, [...program, ...args], {
        cwd: directory,
        env: {
          ...bareEnvironment,
          ...compileCache,
          SITEWARDEN_DATA_DIR: dataDir,
          SITEWARDEN_ADMIN_TOKEN: adminToken,
          ...common,
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    started.add(running);
    void running.ended.then(() => started.delete(running));
    return running;
  };
  const postgresPid = (): number | null => {
    const pid = Number(postmasterLines(dataDir)?.[0]);
    return Number.isInteger(pid) && identifyProcess(pid) !== null ? pid : null;
  };
  const connectionString = (): string => {
    const port = postmasterLines(dataDir)?.[3];
    const password = readFileSync(join(dataDir, 'postgres', 'password'), 'utf8').trim();
    return `postgres://sitewarden:${password}@127.0.0.1:${port}/postgres`;
  };
  const processes = (): number[] =>
    pidsWhose((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(dataDir));

  return {
    dataDir,
    adminToken,
    start,
    run: (args, options) => start(args, options).ended,
    async serve(options) {
      const running = start(['serve'], { ...options, env: { PORT: '0', ...options?.env } });
      const address = (): string | undefined => /listening on (http:\S+)/.exec(running.stdout())?.[1];
      let isEnded = false;
      void running.ended.then(() => {
        isEnded = true;
      });
      await until(() => address() !== undefined || isEnded);
      const origin = address();
      if (origin === undefined) throw new Error(`serve ended: ${running.stderr()}`);
      const ready = (): Promise<void> => until(() => isReady(origin));
      return { ...running, origin, ready };
    },
    recordedChildren: () => recordedChildren(join(dataDir, 'run')),
    processes,
    postgresPid,
    connectionString,
    open: () => openDatabase(connectionString(), () => undefined),
    remove() {
      for (const { child } of started) child.kill('SIGKILL');
      const left = [...processes(), ...recordedChildren(join(dataDir, 'run'))];
      const memory = [...withDescendants(new Set(left))].flatMap(sharedMemoryOf);
      for (const pid of left) kill(pid);
      for (const file of memory) rmSync(file, { force: true });
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function watch(child: ChildProcess): Running {
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = once(child, 'close').then(([status]: (number | null)[]) => ({ status: status ?? null, ...text }));
  return { child, pid: child.pid ?? 0, stdout: () => text.stdout, stderr: () => text.stderr, ended };
}

/** The lines of the server's lock file: the first is its pid, the fourth its port. */
function postmasterLines(dataDir: string): string[] | null {
  try {
    return readFileSync(join(dataDir, 'postgres', 'pgdata', 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    // It does not run, or is just ending.
    return null;
  }
}

function recordedChildren(directory: string): number[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const entry: { children: { pid: number }[] } = JSON.parse(readFileSync(join(directory, name), 'utf8'));
      return entry.children.map(({ pid }) => pid);
    });
}

/** The only child of a process: the program behind the wrapper. */
export function childOf(parent: number): number {
  const [pid] = childrenOf(new Set([parent]));
  if (pid === undefined) throw new Error(`${parent} has no child`);
  return pid;
}

/** Living processes with one of these for a parent. */
export function childrenOf(parents: ReadonlySet<number>): number[] {
  return pidsWhose((_pid, [, parent]) => parents.has(Number(parent)));
}

/** Living processes that descend from these, and these. */
export function withDescendants(roots: ReadonlySet<number>): ReadonlySet<number> {
  const parents = new Map<number, number>();
  for (const [pid, [, parent]] of livingProcesses()) parents.set(pid, Number(parent));
  const found = new Set(roots);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return found;
}

/** Living processes of a group. */
export function groupOf(leader: number): number[] {
  return pidsWhose((_pid, [, , group]) => group === String(leader));
}

/** Whether a pid is a Java program; false when it has ended. */
export function isJava(pid: number): boolean {
  return argumentsOf(pid)[0]?.endsWith('java') ?? false;
}

/**
 * Whether a process starts and ends the pages of a browser. Without it, the browser never learns that pages have ended: a
 * screenshot that is being taken is given up after ten seconds, and the result has a note instead.
 */
export function isZygote(pid: number): boolean {
  return argumentsOf(pid).includes('--type=zygote');
}

/** Files that a database leaves in memory when it is killed, until it is started again. */
function sharedMemoryOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8').match(/\/dev\/shm\/PostgreSQL\.\d+/g) ?? [];
  } catch {
    return [];
  }
}

function argumentsOf(pid: number): readonly string[] {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'latin1').split('\0') : [];
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** State, parent, group and so on (proc_pid_stat(5), from the third field). */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function pidsWhose(holds: (pid: number, fields: readonly string[]) => boolean): number[] {
  return livingProcesses().flatMap(([pid, fields]) => {
    try {
      return holds(pid, fields) ? pid : [];
    } catch {
      return [];
    }
  });
}

function livingProcesses(): (readonly [pid: number, fields: readonly string[]])[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const pid = Number(name);
      try {
        const fields = statFields(pid);
        return fields[0] === 'Z' ? [] : [[pid, fields] as const];
      } catch {
        return [];
      }
    });
}

/** Whether all parts of a service work. */
export async function isReady(origin: string): Promise<boolean> {
  const response = await fetch(`${origin}/health/ready`).catch(() => null);
  const { status } = Object(await response?.json().catch(() => null));
  return status === 'ready';
}
