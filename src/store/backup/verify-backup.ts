import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile as ZipReader } from 'yauzl';
import { AppError } from '../../platform/errors.ts';
import {
  type BackupContents,
  CONTENTS,
  DESCRIPTION_MAX_BYTES,
  DIGESTS,
  damagedAt,
  entryOf,
  MANIFEST,
  type Manifest,
  parseContents,
  parseDigests,
  parseManifest,
  unusable,
} from './backup-format.ts';
import { isSealed } from './seal.ts';

/** The description that a verified backup contains. */
export interface WholeBackup {
  readonly manifest: Manifest;
  /** Null for backups of earlier versions. */
  readonly contents: BackupContents | null;
}

/**
 * Reads all of a backup, and verifies that it is complete and unchanged. Needs no database.
 * @throws AppError invalid_usage if it is not; Error of the file system or the signal
 */
export async function verifyBackup(path: string, signal?: AbortSignal): Promise<WholeBackup> {
  const contents = await readContents(path, signal);
  const manifest = parseManifest(contents.texts.get(MANIFEST) ?? '');
  const digests = parseDigests(contents.texts.get(DIGESTS) ?? '');
  for (const table of Object.keys(manifest.tables)) {
    const entry = entryOf(table);
    if (!contents.digests.has(entry)) throw unusable(`is damaged: it has no ${entry}`);
    if (contents.digests.get(entry) !== digests[table]) throw damagedAt(entry);
  }
  // Last, because it does not show where the damage is.
  if (!(await isSealed(path, signal))) throw unusable('is damaged: it was changed after it was written');
  const described = contents.texts.get(CONTENTS);
  return { manifest, contents: described === undefined ? null : parseContents(described) };
}

/**
 * Opens a backup to read its entries.
 * @throws AppError invalid_usage
 */
export async function openBackup(path: string): Promise<ZipReader> {
  return await openPromise(path, { autoClose: false }).catch((cause: unknown) => {
    throw unusable('is not a backup, or is incomplete', cause);
  });
}

interface Contents {
  /** The manifest and the digests. */
  readonly texts: ReadonlyMap<string, string>;
  /** Of the other entries. */
  readonly digests: ReadonlyMap<string, string>;
}

async function readContents(path: string, signal: AbortSignal | undefined): Promise<Contents> {
  const zip = await openBackup(path);
  const texts = new Map<string, string>();
  const digests = new Map<string, string>();
  let name = MANIFEST;
  try {
    for await (const entry of zip.eachEntry()) {
      name = entry.fileName;
      // Rejected at once, because other archives can be of any size.
      if (texts.size === 0 && name !== MANIFEST) throw unusable('is not a backup');
      if ([MANIFEST, CONTENTS, DIGESTS].includes(name)) texts.set(name, await readText(zip, entry));
      else digests.set(name, await digestOf(zip, entry, signal));
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof AppError ? cause : damagedAt(name, cause);
  } finally {
    zip.close();
  }
  if (!texts.has(DIGESTS)) throw unusable('is not a backup');
  return { texts, digests };
}

async function readText(zip: ZipReader, entry: Entry): Promise<string> {
  if (entry.uncompressedSize > DESCRIPTION_MAX_BYTES) throw unusable('is not a backup');
  const kept: Uint8Array[] = [];
  for await (const bytes of verified(zip, entry)) kept.push(bytes);
  return Buffer.concat(kept).toString();
}

async function digestOf(zip: ZipReader, entry: Entry, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of verified(zip, entry)) {
    signal?.throwIfAborted();
    hash.update(bytes);
  }
  return hash.digest('hex');
}

/** Reads an entry, and fails at its end if its checksum differs: yauzl verifies sizes only. */
async function* verified(zip: ZipReader, entry: Entry): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  for await (const bytes of await zip.openReadStreamPromise(entry)) {
    checksum = crc32(bytes, checksum);
    yield bytes;
  }
  if (checksum !== entry.crc32) throw new Error('The checksum differs.');
}
