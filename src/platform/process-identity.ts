import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, told apart from a later one that was given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the system's own notation; useful for comparing only. */
  readonly startTime: string;
}

/** The identity of a running process, or null when there is none with this pid (or only its unreaped remains). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startTime = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startTime === null ? null : { pid, startTime };
}

/** Whether that very process, not a later one with the same pid, is still running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startTime === identity.startTime;
}

/**
 * The fields of proc_pid_stat(5) from the third on, the process's state; null when there is no such process. The second one
 * is the command in parentheses and may hold anything, so they are counted from its end.
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
