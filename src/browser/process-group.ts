import { readdir, readFile } from 'node:fs/promises';

/** A process of a group and the memory that is its own: anonymous and shared pages, not mapped files. */
export interface GroupMember {
  readonly pid: number;
  readonly bytes: number;
  readonly isRenderer: boolean;
}

/** Whether nothing of a group is left, not even the unreaped remains of its processes. */
export function isGroupGone(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return false;
  } catch {
    return true;
  }
}

/**
 * The living processes of a group with their memory, from /proc; empty where there is no /proc. Pages of mapped
 * files are left out, since the browser's 200 MB binary would count once for each process.
 */
export async function groupMembers(groupId: number): Promise<GroupMember[]> {
  const names = await readdir('/proc').catch(() => []);
  const members = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => member(pid, groupId)));
  return members.filter((found) => found !== null);
}

async function member(pid: string, groupId: number): Promise<GroupMember | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // proc_pid_stat(5): the command in parentheses may hold anything, so fields are counted from its end.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(group) !== groupId || state === 'Z') return null;
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    const command = await readFile(`/proc/${pid}/cmdline`, 'latin1');
    return {
      pid: Number(pid),
      bytes: (kibibytes(status, 'RssAnon') + kibibytes(status, 'RssShmem')) * 1024,
      isRenderer: command.includes('--type=renderer'),
    };
  } catch {
    // It ended while it was looked at.
    return null;
  }
}

function kibibytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
}

/** Ends a process, or with a negative number a whole group, with SIGKILL. */
export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
