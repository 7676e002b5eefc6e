import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/**
 * Writes a file that has its name only when it is whole: even if interrupted, an existing file is replaced atomically, or stays
 * unchanged.
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
  const file = (await open(unfinished, 'w', mode)).createWriteStream();
  try {
    const result = await write(file);
    await rename(unfinished, path);
    return result;
  } catch (error) {
    file.destroy();
    await rm(unfinished, { force: true });
    throw error;
  }
}
