// Plain JavaScript for Node.js 20, with built-in modules only: `set-up.mjs` uses it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NOT_A_SOURCE = /^\/web\/dist\/|\/node_modules\//;

/**
 * Returns a hash of everything that the build of the dashboard depends on: its sources and the exact versions of packages.
 *
 * @param {string} projectDirectory
 */
export function webBuildKey(projectDirectory) {
  const hash = createHash('sha256');
  const names = ['web', 'packages/client']
    .map((name) => join(projectDirectory, name))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !NOT_A_SOURCE.test(file.slice(projectDirectory.length)))
    .sort();
  for (const file of [...names, join(projectDirectory, 'package-lock.json')]) {
    // An installed package has no lock file.
    if (existsSync(file)) hash.update(`${file.slice(projectDirectory.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * Whether `web/dist` was built from the current sources.
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
