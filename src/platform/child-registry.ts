import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { AppError, messageOf } from './errors.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';

/** Records the child processes of this one, so that none outlives it. */
export interface ChildRegistry {
  /**
   * Records a child that was just started. If its descendants have to end with it, start it `detached` (in its own group).
   * @param part what it is, such as `browser`
   */
  add(pid: number, part: string): void;
  /** Removes a child that has ended. */
  remove(pid: number): void;
}

/** The child processes that a process has started, for its metrics. */
export interface StartedChildren {
  /** How often each part was started. */
  starts(): ReadonlyMap<string, number>;
  /** The recorded children. */
  present(): readonly { readonly part: string; readonly pid: number }[];
}

interface Entry {
  readonly owner: ProcessIdentity;
  readonly children: readonly ProcessIdentity[];
}

/**
 * Opens the registry of child processes in `<dataDirectory>/run`, one file for each opening. First kills the children of
 * processes that died without cleaning up (kill -9, out of memory). Other living processes may share the directory.
 *
 * Children still recorded when this process ends are ended with it, even when it is killed (`createOrphanGuard`). If the guard is
 * killed, too, the next opening ends them. `close` removes this process's file.
 * @throws AppError data_directory_unusable
 */
export async function openChildRegistry(
  dataDirectory: string,
): Promise<ChildRegistry & StartedChildren & { close(): Promise<void> }> {
  const directory = join(dataDirectory, 'run');
  const owner = identifyProcess(process.pid) ?? { pid: process.pid, startTime: '' };
  const file = join(directory, `${process.pid}-${randomBytes(4).toString('hex')}.json`);
  const children = new Map<number, ProcessIdentity>();
  const parts = new Map<number, string>();
  const starts = new Map<string, number>();
  const orphanGuard = createOrphanGuard();

  function save(): void {
    orphanGuard.guard([...children.keys()]);
    const entry: Entry = { owner, children: [...children.values()] };
    // Always a new file: never through a link that the owner of the directory may have created.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, JSON.stringify(entry), { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.new`, file);
  }

  try {
    mkdirSync(directory, { recursive: true });
    endOrphans(directory);
    save();
  } catch (error) {
    const remedy = 'Make it writable for this user, or set SITEWARDEN_DATA_DIR to another folder.';
    throw new AppError('data_directory_unusable', `Cannot write in ${directory}: ${messageOf(error)}. ${remedy}`, {
      cause: error,
    });
  }

  const endChildren = (): void => {
    for (const child of children.values()) if (isRunning(child)) killWithGroup(child.pid);
  };
  process.on('exit', endChildren);

  return {
    add(pid, part) {
      starts.set(part, (starts.get(part) ?? 0) + 1);
      const child = identifyProcess(pid);
      // It has already ended.
      if (child === null) return;
      children.set(pid, child);
      parts.set(pid, part);
      save();
    },
    remove(pid) {
      parts.delete(pid);
      if (children.delete(pid)) save();
    },
    starts: () => starts,
    present: () => [...parts].map(([pid, part]) => ({ part, pid })),
    async close() {
      if ([...children.values()].some(isRunning)) return;
      process.off('exit', endChildren);
      rmSync(file, { force: true });
      await orphanGuard.close();
    },
  };
}

function endOrphans(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name.endsWith('.json.new')) {
      const writer = Number.parseInt(name, 10);
      if (identifyProcess(writer) === null) rmSync(path, { force: true });
      continue;
    }
    // Files of other users do not count: this process may be root, and would end any process they name.
    const isOwn = lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (name.endsWith('.json') && isOwn) endOrphansIn(path);
  }
}

function endOrphansIn(path: string): void {
  const entry = readEntry(path);
  if (entry !== null && isRunning(entry.owner)) return;
  for (const child of entry?.children ?? []) {
    if (isRunning(child)) killWithGroup(child.pid);
  }
  rmSync(path, { force: true });
}

/** Returns null if another process has just removed the file, or its content is invalid. */
function readEntry(path: string): Entry | null {
  try {
    const entry: Partial<Entry> | null = JSON.parse(readFileSync(path, 'utf8'));
    return entry?.owner === undefined || !Array.isArray(entry.children)
      ? null
      : { owner: entry.owner, children: entry.children };
  } catch {
    return null;
  }
}

/** A process group has the pid of its leader: a child that is not a leader has no group of that number. */
function killWithGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has just ended, or leads no group.
    }
  }
}

/** Kills processes when this one has ended in any way. */
interface OrphanGuard {
  /** Replaces the pids of the processes to kill. Each is killed with the process group of the same number. */
  guard(pids: readonly number[]): void;
  /** Stops guarding. Resolves when the guard has ended. */
  close(): Promise<void>;
}

/**
 * The input ends with the process that writes it; the last line has the pids to kill. A shell takes 1 MB, another Node.js would
 * take 40, and it works the same on every system.
 */
const SCRIPT = `
  while read -r line; do pids=$line; done
  for pid in $pids; do kill -s KILL -- "-$pid"; kill -s KILL "$pid"; done`;

/**
 * Creates a process that waits for the end of this one. It starts with the first pid to guard. If it cannot run, nothing is
 * guarded.
 */
function createOrphanGuard(): OrphanGuard {
  let shell: ChildProcess | null = null;
  let input: Writable | null = null;

  function start(): Writable | null {
    // In a separate session: a signal from the terminal or to the group of this process must not end the guard.
    shell = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.on('error', () => undefined);
    shell.unref();
    // Writing to a guard that has ended fails. That does not matter here.
    shell.stdin?.on('error', () => undefined);
    return shell.stdin;
  }

  return {
    guard(pids) {
      if (input === null && pids.length === 0) return;
      input ??= start();
      input?.write(`${pids.join(' ')}\n`);
    },
    async close() {
      if (shell === null || shell.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
      const ended = once(shell, 'exit');
      shell.ref();
      input?.end('\n');
      await ended;
    },
  };
}
