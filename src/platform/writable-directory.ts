import { access, constants, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates a directory with its parents unless it exists, and checks that this user can write to it.
 * @throws Error of the file system, or if there is a file with that path
 */
export async function ensureWritableDirectory(path: string): Promise<void> {
  await ensureDirectory(path);
  await access(path, constants.W_OK);
}

/**
 * Makes Git ignore an empty directory, before it is filled. A directory that has something in it may be one that Git shall see, and
 * stays as it is.
 * @throws Error of the file system
 */
export async function keepOutOfGit(path: string): Promise<void> {
  if ((await readdir(path)).length > 0) return;
  await writeFile(join(path, '.gitignore'), '*\n');
}

/** `mkdir` with `recursive` never returns where a parent exists but accepts no directories, such as an automounter's. */
async function ensureDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  if (dirname(path) !== path) await ensureDirectory(dirname(path));
  await mkdir(path).catch(async (error: unknown) => {
    // Another process was faster.
    if (!(await isDirectory(path))) throw error;
  });
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats !== null && !stats.isDirectory()) throw new Error(`${path} is not a directory`);
  return stats !== null;
}
