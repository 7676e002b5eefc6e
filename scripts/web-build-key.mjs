// Plain JavaScript for Node.js 20, with built-in modules only: `set-up.mjs` uses it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Returns a hash of everything that the build of the dashboard depends on: its sources and the exact versions of packages.
 *
 * @param {string} projectDirectory
 */
export function webBuildKey(projectDirectory) {
  const web = join(projectDirectory, 'web');
  const hash = createHash('sha256');
  const names = [web, join(projectDirectory, 'packages', 'client')]
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(web, 'dist') + sep))
    .sort();
  for (const file of [...names, join(projectDirectory, 'package-lock.json')]) {
    // An installed package has no lock file.
    if (existsSync(file)) hash.update(`${file.slice(projectDirectory.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * Whether `web/dist` was built of the present sources.
 *
 * @param {string} projectDirectory
 */
export function isWebBuilt(projectDirectory) {
  try {
    const { key } = JSON.parse(readFileSync(join(projectDirectory, 'web', 'dist', 'build.json'), 'utf8'));
    return key === webBuildKey(projectDirectory);
  } catch {
    return false;
  }
}
