import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Milliseconds of processor time that this process and the embedded database have taken so far: what a list costs, even
 * on a machine that does other things beside. NaN where `/proc` does not tell.
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

/** A process may end while it is looked at. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
