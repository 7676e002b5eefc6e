import { readdir, readFile } from 'node:fs/promises';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** The last migration of each release, by version: `migrations/releases.json`. */
export type Releases = Readonly<Record<string, string>>;

/** Returns the names of all migrations of this version, in order. */
export async function migrationNames(): Promise<string[]> {
  return (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
}

/** @param name the name of a file in `migrations/` */
export function migrationText(name: string): Promise<string> {
  return readFile(new URL(name, MIGRATIONS), 'utf8');
}

export async function migrationReleases(): Promise<Releases> {
  return JSON.parse(await migrationText('releases.json'));
}

/**
 * Returns the last migration of the release before a migration: processes of that release must be able to use the new schema.
 * Null if there is no earlier release.
 */
export function requiredBy(name: string, releases: Releases): string | null {
  const before = Object.values(releases).filter((last) => last < name);
  return before.sort().at(-1) ?? null;
}
