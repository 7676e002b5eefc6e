import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';

/**
 * Writes a file that gets its name only when it is complete and on disk: even after a power failure, an existing file is either
 * replaced or unchanged.
 * @param write writes to the stream and ends it
 * @param mode the permissions of the file, less those that the process masks
 * @returns what `write` returns
 * @throws what `write` throws; Error of the file system
 */
export async function writeWholeFile<Result>(
  path: string,
  write: (file: Writable) => Promise<Result>,
  mode = 0o666,
): Promise<Result> {
  const unfinished = `${path}.${randomUUID()}.part`;
  const file = (await open(unfinished, 'w', mode)).createWriteStream({ flush: true });
  try {
    const result = await write(file);
    // Flushed before it is closed.
    if (!file.closed) await once(file, 'close');
    await rename(unfinished, path);
    await flushDirectory(dirname(path));
    return result;
  } catch (error) {
    file.destroy();
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Makes the names of files survive a power failure. Windows cannot open a directory, and needs no flush. */
async function flushDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
