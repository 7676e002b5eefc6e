import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnedFile } from './owned-file.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import { belongsTo, identifyProcess, type ProcessIdentity } from './process-identity.ts';

/** What it takes to find the server. */
export type ServerFiles = Pick<PostgresCluster, 'dataDirectory' | 'user'>;

/** What a running server says of itself in its lock file. */
export interface PostgresStatus {
  readonly process: ProcessIdentity;
  /** 0 while it has not yet been written. */
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * The server that runs on these data, or null when there is none; a lock file left by a server that was killed does not
 * hinder the next one. `stale` is a lock file that does: its pid is taken by another process (after a crash of a
 * container, pids are soon used again), which PostgreSQL would mistake for its server.
 * Only a file and a process of the server's user count: that user can write anything into the file.
 * The lines of the file are described in PostgreSQL's miscadmin.h.
 */
export function readPostgresStatus({ dataDirectory, user }: ServerFiles): PostgresStatus | 'stale' | null {
  let lines: string[];
  try {
    lines = readOwnedFile(postmasterPidFile(dataDirectory), user.uid).toString('utf8').split('\n');
  } catch {
    return null;
  }
  const pid = Number(lines[0]);
  // The file is created before it is filled: somebody is just starting.
  if (!Number.isInteger(pid) || pid <= 0) return null;
  const identity = identifyProcess(pid);
  if (identity === null || !belongsTo(pid, user.uid) || !isServerOf(pid, dataDirectory)) {
    return pidIsTaken(pid) ? 'stale' : null;
  }
  return { process: identity, port: Number(lines[3] ?? 0), isReady: lines[7]?.trim() === 'ready' };
}

/** The server's lock file. */
export function postmasterPidFile(dataDirectory: string): string {
  return join(dataDirectory, 'postmaster.pid');
}

/** By its command line, which holds the path and which anybody may read; its working directory only its user may. */
function isServerOf(pid: number, dataDirectory: string): boolean {
  try {
    const commandLine =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        : execFileSync('/bin/ps', ['-o', 'command=', '-ww', '-p', String(pid)], { encoding: 'utf8' });
    return commandLine.includes(dataDirectory);
  } catch {
    return false;
  }
}

/** PostgreSQL's own question; the unreaped remains of a process count. */
function pidIsTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
