import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const projectDirectory = join(import.meta.dirname, '../..');

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/**
 * Installs the packed npm package into an empty folder as npm does, but with the dependencies of the checkout: tests use no
 * registry. It sees no others.
 * @returns the folder of the package
 */
export function installPackage(file: string, folder: string): string {
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'sitewarden');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', installed, '--strip-components=1']);
  const manifest: Manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const source = join(projectDirectory, 'node_modules', name);
    if (existsSync(source)) link(source, join(modules, name));
  }
  for (const [name, path] of Object.entries(manifest.bin)) link(join(installed, path), join(modules, '.bin', name));
  return installed;
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
