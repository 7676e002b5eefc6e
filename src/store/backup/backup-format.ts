import Type from 'typebox';
import { Check } from 'typebox/schema';
import { AppError } from '../../platform/errors.ts';

/**
 * What a backup is: a ZIP archive with a manifest, an entry per table in the binary format of `COPY`, and their digests. Decision
 * 0002.
 */

const FORMAT = 1;
/**
 * The mode of backup files: they contain hashes of passwords and tokens, and unhashed sessions, so only their creator may read
 * them.
 */
export const BACKUP_MODE = 0o600;

/** The first entry, which describes the others. */
export const MANIFEST = 'manifest.json';
/** After the tables. Backups of earlier versions have none. */
export const CONTENTS = 'contents.json';
/** The last entry. */
export const DIGESTS = 'digests.json';
/** Of the manifest and of the digests. */
export const DESCRIPTION_MAX_BYTES = 1_048_576;

const MANIFEST_SCHEMA = Type.Object({
  sitewarden_backup: Type.Literal(FORMAT),
  /** The version that made the backup. */
  version: Type.String(),
  /** An ISO 8601 timestamp. */
  created_at: Type.String(),
  migrations: Type.Array(Type.String()),
  /** The names of the tables, and the names of their columns in the order of the values. */
  tables: Type.Record(Type.String(), Type.Array(Type.String())),
  /** The last value of each sequence; null if it has none yet. */
  sequences: Type.Record(Type.String(), Type.Union([Type.String({ pattern: '^\\d{1,18}$' }), Type.Null()])),
});
export type Manifest = Readonly<Type.Static<typeof MANIFEST_SCHEMA>>;

const CONTENTS_SCHEMA = Type.Object({ reports: Type.Integer(), pages: Type.Integer() });
/** How much a backup contains, for display. */
export type BackupContents = Readonly<Type.Static<typeof CONTENTS_SCHEMA>>;

/** The SHA-256 of the content of each table, in hexadecimal digits. */
export type Digests = Readonly<Record<string, string>>;
const DIGESTS_SCHEMA = Type.Record(Type.String(), Type.String());

/** Returns the first entry of a backup that is being made. */
export function manifestOf(described: Omit<Manifest, 'sitewarden_backup'>): Manifest {
  return { sitewarden_backup: FORMAT, ...described };
}

/** @throws AppError invalid_usage */
export function parseManifest(json: string): Manifest {
  const manifest = parse(json);
  const { sitewarden_backup: format } = Object(manifest);
  if (format === undefined) throw unusable('is not a backup');
  if (format !== FORMAT) throw unusable(`has format ${format}, but this version reads format ${FORMAT}`);
  if (!Check(MANIFEST_SCHEMA, manifest)) throw damagedAt(MANIFEST);
  return manifest;
}

/** @throws AppError invalid_usage */
export function parseDigests(json: string): Digests {
  const digests = parse(json);
  if (!Check(DIGESTS_SCHEMA, digests)) throw damagedAt(DIGESTS);
  return digests;
}

/** @throws AppError invalid_usage */
export function parseContents(json: string): BackupContents {
  const contents = parse(json);
  if (!Check(CONTENTS_SCHEMA, contents)) throw damagedAt(CONTENTS);
  return contents;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw unusable('is not a backup', cause);
  }
}

/** Returns the name of the entry with the rows of a table. */
export function entryOf(table: string): string {
  return `tables/${table}`;
}

export function damagedAt(entry: string, cause?: unknown): AppError {
  return unusable(`is damaged at ${entry}`, cause);
}

export function unusable(problem: string, cause?: unknown): AppError {
  return new AppError('invalid_usage', `The file ${problem}. Use another backup.`, { cause });
}
