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
  const sample = (): void => {
    const now = memoryOfTree();
    for (const kind of ['own', 'validator', 'browser'] as const) most[kind] = Math.max(most[kind], now[kind]);
  };
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

function memoryOfTree(): Memory {
  const children = new Map<number, { pid: number; name: string }[]>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const stat = read(pid, 'stat');
    const end = stat.lastIndexOf(')');
    const parent = Number(stat.slice(end + 2).split(' ')[1]);
    const siblings = children.get(parent) ?? [];
    children.set(parent, [...siblings, { pid, name: stat.slice(stat.indexOf('(') + 1, end) }]);
  }
  const memory: Memory = { own: bytesOf(process.pid), validator: 0, browser: 0 };
  const add = (parent: number): void => {
    for (const { pid, name } of children.get(parent) ?? []) {
      memory[name === 'java' ? 'validator' : 'browser'] += bytesOf(pid);
      add(pid);
    }
  };
  add(process.pid);
  return memory;
}

function bytesOf(pid: number): number {
  const status = read(pid, 'status');
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
