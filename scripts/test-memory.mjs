// The directory for the temporary files of a test run. Plain JavaScript for Node.js 20.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory, where Linux has one. */
const MEMORY = '/dev/shm';
/** A run needs less than half of it. Containers often have 64 MB. */
const memoryFreeBytes = 4_000_000_000;
const PREFIX = 'sitewarden-test-';

/**
 * Creates a directory in memory: databases, browser profiles and installed packages have thousands of files, which take more
 * processor time on a disk than what tests do with them. It is removed when the process exits. Directories of runs that were
 * killed are removed by the next.
 *
 * @returns {string | null} null if there is not enough memory, or programs cannot be run from it
 */
export function createTestMemory() {
  if (!hasRoom()) return null;
  for (const name of readdirSync(MEMORY).filter(isAbandoned)) remove(name);
  const name = `${PREFIX}${process.pid}`;
  const directory = join(MEMORY, name);
  mkdirSync(directory, { recursive: true });
  // As root, tests run programs as other users.
  chmodSync(directory, 0o1777);
  process.once('exit', () => remove(name));
  return directory;
}

function hasRoom() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY);
  const options = mount?.split(' ')[3]?.split(',') ?? ['noexec'];
  return bavail * bsize >= memoryFreeBytes && !options.includes('noexec');
}

/** @param {string} name */
function isAbandoned(name) {
  const pid = Number(name.slice(PREFIX.length));
  if (!name.startsWith(PREFIX) || !Number.isInteger(pid)) return false;
  return statSync(join(MEMORY, name)).uid === process.getuid?.() && !existsSync(join('/proc', String(pid)));
}

/** @param {string} name */
function remove(name) {
  rmSync(join(MEMORY, name), { recursive: true, force: true, maxRetries: 3 });
}
