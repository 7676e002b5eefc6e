import { access, constants, mkdir, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates a directory with its parents unless it exists, and checks that this user can write to it.
 * @returns the directories that were created, parents first
 * @throws Error of the file system, or if there is a file with that path
 */
export async function ensureWritableDirectory(path: string): Promise<readonly string[]> {
  const created = await ensureDirectory(path);
  await access(path, constants.W_OK);
  return created;
}

/** Removes directories that are empty. @param paths parents first */
export async function removeEmptyDirectories(paths: readonly string[]): Promise<void> {
  // Fails for directories with files, and for directories that another process has removed.
  for (const path of paths.toReversed()) await rmdir(path).catch(() => undefined);
}

/**
 * Makes Git ignore an empty directory, before it is filled. A directory with content may be meant for Git, and stays unchanged.
 * @throws Error of the file system
 */
export async function keepOutOfGit(path: string): Promise<void> {
  if ((await readdir(path)).length > 0) return;
  await writeFile(join(path, '.gitignore'), '*\n');
}

/** `mkdir` with `recursive` never returns where a parent exists but accepts no directories, such as an automounter's. */
async function ensureDirectory(path: string): Promise<readonly string[]> {
  if (await isDirectory(path)) return [];
  const parents = dirname(path) === path ? [] : await ensureDirectory(dirname(path));
  try {
    await mkdir(path);
    return [...parents, path];
  } catch (error) {
    // Another process was faster.
    if (!(await isDirectory(path))) throw error;
    return parents;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats !== null && !stats.isDirectory()) throw new Error(`${path} is not a directory`);
  return stats !== null;
}
