import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of memory (anonymous and shared) of this process, its children, the shared validator and the database. */
export interface Memory {
  /** This process, the test site in it included. */
  own: number;
  /** The validators: every Java below this process, and below the process of the test run, which starts the shared validator. */
  validator: number;
  /** All other children: the browser's processes. */
  browser: number;
  /** The database server, including its work for others. */
  database: number;
  /** All of them at the same time. */
  total: number;
}

const KINDS = ['own', 'validator', 'browser', 'database', 'total'] as const;
/** A page takes a gigabyte in a quarter of a second. */
const SAMPLE_INTERVAL_MS = 250;

/**
 * Watches the memory until it is asked for the maxima.
 * @param databaseProcess pid of any process of the database's server
 */
export function watchMemory(databaseProcess: number): () => Memory {
  const most: Memory = { own: 0, validator: 0, browser: 0, database: 0, total: 0 };
  const server = parentOf(databaseProcess);
  const parents = new Map<number, number>();
  const sample = (): void => {
    const now = memoryOfTree(parents, server);
    for (const kind of KINDS) most[kind] = Math.max(most[kind], now[kind]);
  };
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** @param parents of all known processes: reading them each time would take a tenth of a core */
function memoryOfTree(parents: Map<number, number>, server: number): Memory {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const parent = parents.get(pid) ?? parentOf(pid);
    parents.set(pid, parent);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const own = bytesIn(readProcessFile(process.pid, 'status'));
  const memory: Memory = { own, validator: 0, browser: 0, database: 0, total: 0 };
  const add = (parent: number): void => {
    for (const pid of children.get(parent) ?? []) {
      const status = readProcessFile(pid, 'status');
      memory[/^Name:\s+java$/m.test(status) ? 'validator' : 'browser'] += bytesIn(status);
      add(pid);
    }
  };
  add(process.pid);
  for (const pid of children.get(process.ppid) ?? []) {
    const status = readProcessFile(pid, 'status');
    if (/^Name:\s+java$/m.test(status)) memory.validator += bytesIn(status);
  }
  // Its processes share one memory, which counts once.
  const database = [server, ...(children.get(server) ?? [])].map((pid) => readProcessFile(pid, 'status'));
  memory.database = Math.max(...database.map((status) => bytesOf(status, 'RssShmem')));
  for (const status of database) memory.database += bytesOf(status, 'RssAnon');
  memory.total = memory.own + memory.validator + memory.browser + memory.database;
  return memory;
}

function parentOf(pid: number): number {
  const stat = readProcessFile(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function bytesIn(status: string): number {
  return bytesOf(status, 'RssAnon') + bytesOf(status, 'RssShmem');
}

/** A field of `/proc/PID/status`, or of a mapping in `/proc/PID/smaps`. */
export function bytesOf(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}

/** A file of a process in `/proc`. Empty if the process has ended. */
export function readProcessFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
