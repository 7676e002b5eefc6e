import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the milliseconds of processor time that this process and the embedded database have used so far: a measure of a list's
 * cost that other work on the machine does not affect. NaN on systems without `/proc`.
 */
export function cpuMilliseconds(dataDir: string): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + databaseCpuMilliseconds(dataDir);
}

/** The same for the connections of the embedded database alone. */
export function databaseCpuMilliseconds(dataDir: string): number {
  const pidFile = join(dataDir, 'postgres/pgdata/postmaster.pid');
  if (!existsSync('/proc/self/schedstat') || !existsSync(pidFile)) return Number.NaN;
  const postmaster = readFileSync(pidFile, 'utf8').split('\n')[0] ?? '';
  const backends = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  const nanoseconds = backends.reduce((sum, pid) => sum + Number(read(`/proc/${pid}/schedstat`).split(' ')[0]), 0);
  return nanoseconds / 1_000_000;
}

function parentOf(pid: string): string | undefined {
  return /^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1];
}

/** A process may exit while it is read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Returns the milliseconds of processor time used so far by each part of the service that runs in this process: its main
 * thread, its other threads, the validator, the browser and the embedded database. Browsers and validators that have ended count
 * as they were at the last call. Requires `/proc`.
 */
export function processorTimes(dataDir: string): Readonly<Record<string, number>> {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [pid, parentOf(pid)]),
  );
  const own = String(process.pid);
  const isOurs = (pid: string | undefined): boolean => pid !== undefined && (pid === own || isOurs(parents.get(pid)));
  const running = new Map<string, { part: EnginePart; ms: number }>();
  for (const pid of parents.keys()) {
    const part = isOurs(pid) ? partOf(pid) : undefined;
    if (part === undefined) continue;
    let root = pid;
    for (let parent = parents.get(root); parent !== undefined && partOf(parent) === part; parent = parents.get(root)) {
      root = parent;
    }
    const ms = (running.get(root)?.ms ?? 0) + totalMilliseconds(pid);
    running.set(root, { part, ms });
  }
  for (const [root, used] of running) engines.set(`${root} ${statOf(root)[19]}`, used);
  const times = { 'main thread': mainThreadMilliseconds(), 'other threads': 0, validator: 0, browser: 0 };
  times['other threads'] = totalMilliseconds(own, false) - times['main thread'];
  for (const { part, ms } of engines.values()) times[part] += ms;
  return { ...times, database: databaseCpuMilliseconds(dataDir) };
}

type EnginePart = 'validator' | 'browser';

/** By the process that started the others of an engine, and the time of its start. */
const engines = new Map<string, { readonly part: EnginePart; readonly ms: number }>();

function partOf(pid: string): EnginePart | undefined {
  if (pid === String(process.pid)) return undefined;
  const command = read(`/proc/${pid}/cmdline`);
  return /java/.test(command) ? 'validator' : /chrom/.test(command) ? 'browser' : undefined;
}

function mainThreadMilliseconds(): number {
  return Number(read(`/proc/self/task/${process.pid}/schedstat`).split(' ')[0]) / 1_000_000;
}

/** Of a process and, by default, its children that have ended. */
function totalMilliseconds(pid: string, withChildren = true): number {
  const used = statOf(pid).slice(11, withChildren ? 15 : 13);
  return used.reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0);
}

/** The columns of `/proc/PID/stat` after the command. */
function statOf(pid: string): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** The unit of the times in `/proc/stat`, on every common Linux. */
const tickMs = 10;
/**
 * The columns of its first line that count work: user, nice and system, then interrupts. Idle and waiting are in between.
 */
const WORK_COLUMNS = [1, 2, 3, 6, 7];

/**
 * Returns the milliseconds of processor time that the whole machine has used since it started, so that processes that have ended,
 * such as a replaced browser's, count, too. The figure means something only on a machine without other work. Requires `/proc`.
 */
export function machineCpuMilliseconds(): number {
  const columns = (read('/proc/stat').split('\n')[0] ?? '').split(/ +/);
  return WORK_COLUMNS.reduce((sum, column) => sum + Number(columns[column]) * tickMs, 0);
}
