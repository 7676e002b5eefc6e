import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/**
 * Writes a file that has its name only when it is whole: even if interrupted, an existing file is replaced atomically, or stays
 * unchanged.
 * @param write writes to the stream and ends it
 * @param mode the permissions of the file, less those that the process masks
 * @throws what `write` throws; Error of the file system
 */
export async function writeWholeFile(
  path: string,
  write: (file: Writable) => Promise<void>,
  mode = 0o666,
): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.part`;
  const file = (await open(unfinished, 'w', mode)).createWriteStream();
  try {
    await write(file);
    await rename(unfinished, path);
  } catch (error) {
    file.destroy();
    await rm(unfinished, { force: true });
    throw error;
  }
}
