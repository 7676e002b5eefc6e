import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { statFromThirdField } from '../platform/process-identity.ts';
import type { BrowserUser } from './browser-user.ts';
import { browserLogCharacters, killGraceMs, mappedBinaryBytes, reapGraceMs } from './limits.ts';

export interface ChromiumCommand {
  readonly executable: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Null for the user of this process. */
  readonly user: BrowserUser | null;
}

/** A browser process, which is the leader of its own process group. */
export interface ChromiumProcess {
  readonly pid: number;
  /** The DevTools pipe. The browser quits when `input` is closed, and therefore also when this process ends. */
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process has ended, with a description that includes the end of its log. */
  readonly ended: Promise<string>;
  /** Forgets the log so far. */
  clearLog(): void;
}

/** @throws Error when the process cannot be started */
export async function startChromium({
  executable,
  args,
  environment,
  user,
}: ChromiumCommand): Promise<ChromiumProcess> {
  const child = spawn(executable, args, {
    ...user,
    cwd: '/',
    env: { ...environment },
    // In its own process group, so that Ctrl-C in a terminal stops only this process, and open pages can complete.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const { ended, clearLog } = watchEnd(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(await ended);
  // Remaining processes of the group would keep the pipes open, and `close` would not be emitted.
  child.once('exit', () => killHard(-pid));
  const [, , , input, output] = child.stdio;
  if (!isWritable(input) || !isReadable(output)) throw new Error('its pipe could not be created');
  return { pid, input, output, ended, clearLog };
}

function watchEnd(child: ChildProcess): Pick<ChromiumProcess, 'ended' | 'clearLog'> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-browserLogCharacters);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(`it ended ${signal === null ? `with status ${code}` : `by ${signal}`}. ${log}`.trim()),
    );
  });
  const clearLog = (): void => {
    log = '';
  };
  return { ended, clearLog };
}

function isWritable(stream: object | null | undefined): stream is Writable {
  return stream !== null && stream !== undefined && 'write' in stream;
}

function isReadable(stream: object | null | undefined): stream is Readable {
  return stream !== null && stream !== undefined && 'read' in stream;
}

/**
 * Kills a process group and waits until none of its processes is left. Killed processes whose parent was also killed are reaped
 * by the init process. In some containers, init never does so, so this stops waiting after `reapGraceMs`.
 */
export async function killGroup(pid: number): Promise<void> {
  const start = Date.now();
  while (!isGroupGone(pid) && Date.now() - start < killGraceMs) {
    killHard(-pid);
    await delay(20);
    if (Date.now() - start > reapGraceMs && groupMembers(pid).length === 0) return;
  }
}

/** A process of a group, and its memory without the files of the program. */
export interface GroupMember {
  readonly pid: number;
  readonly group: number;
  readonly bytes: number;
  readonly isRenderer: boolean;
}

/** Returns whether a group has no processes left, not even zombies. */
function isGroupGone(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return false;
  } catch {
    return true;
  }
}

/** Reads the same groups repeatedly. */
interface GroupReader {
  /** Returns the live processes of the groups, from /proc; none on systems without /proc. */
  members(groups: ReadonlySet<number>): GroupMember[];
  /** Clears the cached groups: a process that has just started may still change its group. */
  forget(): void;
}

export function createGroupReader(): GroupReader {
  let groupOf = new Map<number, number>();
  return {
    members(groups) {
      // A pid that is listed every time belongs to the same process.
      const listed = new Map<number, number>();
      const found: GroupMember[] = [];
      for (const pid of pids()) {
        const group = groupOf.get(pid) ?? groupIdOf(pid);
        if (group === null) continue;
        listed.set(pid, group);
        const member = groups.has(group) ? readMember(pid, group) : null;
        if (member !== null) found.push(member);
      }
      groupOf = listed;
      return found;
    },
    forget() {
      groupOf.clear();
    },
  };
}

/** Returns the live processes of a group. */
export function groupMembers(groupId: number): GroupMember[] {
  return createGroupReader().members(new Set([groupId]));
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Returns null for a process that has ended. */
function read(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}

function groupIdOf(pid: number): number | null {
  const fields = statFromThirdField(pid);
  return fields === null ? null : Number(fields[5 - 3]);
}

function readMember(pid: number, group: number): GroupMember | null {
  const status = read(pid, 'status');
  const command = read(pid, 'cmdline');
  if (status === null || command === null || /^State:\s+[ZX]/m.test(status)) return null;
  // Where /dev/shm is too small, shared memory is in files, which count as files of the program.
  const files = Math.max(0, bytesIn(status, 'RssFile') - mappedBinaryBytes);
  const bytes = bytesIn(status, 'RssAnon') + bytesIn(status, 'RssShmem') + files;
  return { pid, group, bytes, isRenderer: command.includes('--type=renderer') };
}

function bytesIn(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}

/** Kills a process, or with a negative number its group, with SIGKILL. */
export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
