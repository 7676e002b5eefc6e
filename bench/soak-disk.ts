/** A small disk in memory for the database of `bench/soak.ts`. Requires root on Linux. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SoakDisk {
  /** An empty directory on the disk. */
  readonly directory: string;
  /** Uses all space that is free now. */
  fill(): void;
  /** Frees the space that `fill` has used. */
  empty(): void;
  unmount(): void;
}

export function mountDisk(megabytes: number): SoakDisk {
  const mountPoint = mkdtempSync(join(tmpdir(), 'sitewarden-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'sitewarden-soak', mountPoint]);
  // The database runs as another user, who must be able to enter the folder.
  chmodSync(mountPoint, 0o755);
  const [directory, filler] = [join(mountPoint, 'data'), join(mountPoint, 'filler')];
  mkdirSync(directory);
  return {
    directory,
    fill() {
      const { bavail, bsize } = statfsSync(mountPoint);
      try {
        if (bavail > 0) appendFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch (error) {
        // The database has used some of it in the meantime.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty: () => rmSync(filler, { force: true }),
    unmount() {
      execFileSync('umount', [mountPoint]);
      rmSync(mountPoint, { recursive: true });
    },
  };
}
