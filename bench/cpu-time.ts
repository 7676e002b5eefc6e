import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the milliseconds of processor time that this process and the embedded database have used so far: a measure of a list's
 * cost that other work on the machine does not affect. NaN on systems without `/proc`.
 */
export function cpuMilliseconds(dataDir: string): number {
  const pidFile = join(dataDir, 'postgres/pgdata/postmaster.pid');
  if (!existsSync('/proc/self/schedstat') || !existsSync(pidFile)) return Number.NaN;
  const postmaster = readFileSync(pidFile, 'utf8').split('\n')[0] ?? '';
  const { user, system } = process.cpuUsage();
  const backends = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  const nanoseconds = backends.reduce((sum, pid) => sum + Number(read(`/proc/${pid}/schedstat`).split(' ')[0]), 0);
  return (user + system) / 1_000 + nanoseconds / 1_000_000;
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
