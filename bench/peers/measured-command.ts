import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, openSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What a command and all its processes have used, even processes that have left its process group or session. */
export interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The largest sum of the processes' memory, in which shared pages count once (PSS). */
  readonly peakBytes: number;
  readonly status: number | null;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Often enough to see a peak of a second, and rarely enough to take little of the processor. */
const memoryIntervalMs = 400;
const lastProcessesMs = 10_000;
const clockMs = 100;

/**
 * Runs a command in a control group of its own. Its output goes to the files `stdout` and `stderr` in its directory.
 * @throws Error if this user cannot create control groups, as only root can by default
 */
export async function measured(command: Command, timeoutMs: number): Promise<Measured> {
  const group = createGroup(`sitewarden-bench-${process.pid}`);
  const [stdout, stderr] = ['stdout', 'stderr'].map((name) => openSync(join(command.directory, name), 'w'));
  // The shell joins the group before it becomes the command.
  const script = 'echo $$ > "$0" && exec "$@"';
  const started = performance.now();
  const child = spawn('/bin/sh', ['-c', script, group.file('cgroup.procs'), command.file, ...command.args], {
    cwd: command.directory,
    env: { ...command.environment },
    stdio: ['ignore', stdout, stderr],
  });
  const ended = endOf(child);
  const timer = setTimeout(() => kill(group.pids()), timeoutMs);
  let peakBytes = 0;
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    peakBytes = Math.max(peakBytes, memoryOf(group.pids()));
    await Promise.race([ended, delay(memoryIntervalMs)]);
  }
  clearTimeout(timer);
  const { at, status } = await ended;
  for (let waited = 0; group.pids().length > 0; waited += clockMs) {
    if (waited > lastProcessesMs) kill(group.pids());
    await delay(clockMs);
  }
  const cpuSeconds = group.cpuSeconds();
  group.remove();
  return { seconds: (at - started) / 1_000, cpuSeconds, peakBytes, status };
}

async function endOf(child: ChildProcess): Promise<{ readonly at: number; readonly status: number | null }> {
  const [status] = (await once(child, 'exit')) as [number | null];
  return { at: performance.now(), status };
}

function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

/** Of both versions of control groups; version 2 counts processor time without any controller. */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup/cpuacct',
    seconds: (read: (name: string) => string) => Number(read('cpuacct.usage')) / 1_000_000_000,
  },
  {
    root: '/sys/fs/cgroup',
    seconds: (read: (name: string) => string) => Number(/usage_usec (\d+)/.exec(read('cpu.stat'))?.[1]) / 1_000_000,
  },
] as const;

function createGroup(name: string) {
  const hierarchy = HIERARCHIES.find(({ root }) => mayAccess(join(root, 'cgroup.procs'), constants.W_OK));
  if (hierarchy === undefined)
    throw new Error('Only a user who can create control groups can measure commands: run it as root.');
  const directory = join(hierarchy.root, name);
  mkdirSync(directory);
  const read = (file: string): string => readFileSync(join(directory, file), 'utf8');
  return {
    file: (file: string) => join(directory, file),
    pids: () => read('cgroup.procs').split('\n').filter(Boolean).map(Number),
    cpuSeconds: () => hierarchy.seconds(read),
    remove: () => rmdirSync(directory),
  };
}

/** @param mode of `fs.constants`, such as `X_OK` */
export function mayAccess(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

function memoryOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      return sum + Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
    } catch {
      // It has just ended.
      return sum;
    }
  }, 0);
}
