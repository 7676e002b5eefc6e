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

/** Fields of `/proc/PID/stat` after the name, from 0: the parent, then the time of the process and of children that have ended. */
const PARENT_FIELD = 1;
const TIME_FIELDS = [11, 12, 13, 14];
/** The unit of these times, on every common Linux. */
const tickMs = 10;

/**
 * Returns the milliseconds of processor time of this process and all its children, living or ended. Requires `/proc`.
 * @param except a child that does not count
 */
export function treeCpuMilliseconds(except: number | undefined): number {
  const stats = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [
        pid,
        read(`/proc/${pid}/stat`)
          .replace(/^.*\) /s, '')
          .split(' '),
      ]),
  );
  const isCounted = (pid: string): boolean => {
    if (pid === String(process.pid)) return true;
    const parent = pid === String(except) ? undefined : stats.get(pid)?.[PARENT_FIELD];
    return parent !== undefined && isCounted(parent);
  };
  const counted = [...stats]
    .filter(([pid]) => isCounted(pid))
    .flatMap(([, fields]) => TIME_FIELDS.map((at) => fields[at]));
  return counted.reduce((sum, ticks) => sum + Number(ticks ?? 0) * tickMs, 0);
}
