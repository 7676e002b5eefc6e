import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process, even if a later one has the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In a format that depends on the system; only to be compared. */
  readonly startTime: string;
}

/** Returns the identity of a running process, or null if there is none with this pid, or it is a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startTime = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startTime === null ? null : { pid, startTime };
}

/** Returns whether the process is still running, as opposed to a later one with the same pid. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startTime === identity.startTime;
}

/**
 * Returns the fields of proc_pid_stat(5) starting with the third, the process's state; null if there is no such process. They are
 * counted from the end of the second field, the command in parentheses, which may contain anything.
 */
export function statFromThirdField(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function startTimeFromProc(pid: number): string | null {
  const fields = statFromThirdField(pid) ?? [];
  const state = fields[0];
  const startTime = fields[22 - 3];
  return state === 'Z' || state === 'X' || startTime === undefined ? null : startTime;
}

function startTimeFromPs(pid: number): string | null {
  try {
    const options = { encoding: 'utf8', env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } } as const;
    const [state, ...startTime] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/);
    return state === undefined || state.startsWith('Z') || startTime.length === 0 ? null : startTime.join(' ');
  } catch {
    return null;
  }
}
