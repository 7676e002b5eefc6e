import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Reads a file that lies in a directory of a user: only one that this user owns. As root we could read any, and would tell
 * of the file of somebody else that the user has put a link to.
 *
 * @param uid undefined where users have no numbers
 * @throws what the system throws, and an Error when the file belongs to another user
 */
export function readOwnedFile(path: string, uid: number | undefined): Buffer {
  // A pipe in its place must not be waited for.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || (uid !== undefined && stats.uid !== uid))
      throw new Error(`${path} is not the user's own file`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
