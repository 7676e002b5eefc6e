import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of memory of their own (anonymous and shared) that a process of ours and its children take. */
export interface Memory {
  /** This process, the test site in it included. */
  own: number;
  /** The validator: every Java below. */
  validator: number;
  /** All other children: the browser's processes. */
  browser: number;
}

const SAMPLE_INTERVAL_MS = 250;

/** Watches the memory until it is asked for the most of each that was seen. */
export function watchMemory(): () => Memory {
  const most: Memory = { own: 0, validator: 0, browser: 0 };
  const parents = new Map<number, number>();
  const sample = (): void => {
    const now = memoryOfTree(parents);
    for (const kind of ['own', 'validator', 'browser'] as const) most[kind] = Math.max(most[kind], now[kind]);
  };
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** @param parents of all processes of the machine that were seen so far: to ask for them each time would take a core's tenth */
function memoryOfTree(parents: Map<number, number>): Memory {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const parent = parents.get(pid) ?? parentOf(pid);
    parents.set(pid, parent);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  const memory: Memory = { own: bytesIn(read(process.pid, 'status')), validator: 0, browser: 0 };
  const add = (parent: number): void => {
    for (const pid of children.get(parent) ?? []) {
      const status = read(pid, 'status');
      memory[/^Name:\s+java$/m.test(status) ? 'validator' : 'browser'] += bytesIn(status);
      add(pid);
    }
  };
  add(process.pid);
  return memory;
}

function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function bytesIn(status: string): number {
  const kibibytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return (kibibytes('RssAnon') + kibibytes('RssShmem')) * 1_024;
}

/** Empty for a process that has ended meanwhile. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
