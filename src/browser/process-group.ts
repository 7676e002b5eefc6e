import { readdirSync, readFileSync } from 'node:fs';
import { statFromThirdField } from '../platform/process-identity.ts';
import { mappedBinaryBytes } from './limits.ts';

/** A process of a group and the memory that it takes, without the program's own files. */
export interface GroupMember {
  readonly pid: number;
  readonly group: number;
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

/** Looks at the same groups again and again. */
export interface GroupReader {
  /** The living processes of the groups with their memory, from /proc; none where there is no /proc. */
  members(groups: ReadonlySet<number>): GroupMember[];
  /** Has every process looked at anew: one that has just been started may still change its group. */
  forget(): void;
}

export function createGroupReader(): GroupReader {
  let groupOf = new Map<number, number>();
  return {
    members(groups) {
      // A process that is listed each time is the same one.
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

/** The living processes of a group. */
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

/** Null for a process that has ended meanwhile. */
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
  // Shared memory is in files where /dev/shm is too small for it, and these count like those of the program.
  const files = Math.max(0, bytesIn(status, 'RssFile') - mappedBinaryBytes);
  const bytes = bytesIn(status, 'RssAnon') + bytesIn(status, 'RssShmem') + files;
  return { pid, group, bytes, isRenderer: command.includes('--type=renderer') };
}

function bytesIn(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}

/** Ends a process, or with a negative number a whole group, with SIGKILL. */
export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
