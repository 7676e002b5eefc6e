import { createHash, type Hash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ZipFile } from 'yazl';
import { VERSION } from '../../platform/version.ts';
import { type BackupContents, CONTENTS, DIGESTS, entryOf, MANIFEST, manifestOf } from './backup-format.ts';
import { copied, readMigrations, readSequences, readTables, withClient } from './backup-tables.ts';
import { encrypting } from './encryption.ts';
import { BLANK_SEAL, sealing } from './seal.ts';

/**
 * Writes a snapshot of all rows of the database. Other transactions may change them at the same time.
 * @param recipient the public key to encrypt it for; null to write it unencrypted
 * @returns the SHA-256 of the file, and how much the backup contains
 * @throws AppError invalid_usage if the recipient is not a public key; Error of the database, the output or the signal
 */
export async function writeBackup(
  connectionString: string,
  output: Writable,
  recipient: string | null = null,
  signal?: AbortSignal,
): Promise<{ readonly digest: Buffer; readonly contents: BackupContents }> {
  const written = createHash('sha256');
  const rows: Record<string, number> = {};
  const contents = (): BackupContents => ({ reports: rows['reports'] ?? 0, pages: rows['web_pages'] ?? 0 });
  const encrypt = recipient === null ? [] : [await encrypting(recipient)];
  await withClient(connectionString, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const zip = new ZipFile();
    const failed = new AbortController();
    const stop = signal === undefined ? failed.signal : AbortSignal.any([failed.signal, signal]);
    zip.on('error', (error) => failed.abort(error));
    const tables = await readTables(client);
    const manifest = manifestOf({
      version: VERSION,
      created_at: new Date().toISOString(),
      migrations: await readMigrations(client),
      tables: { ...tables },
      sequences: await readSequences(client),
    });
    zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), MANIFEST);
    const digests: Record<string, string> = {};
    const add = (name: string, content: () => AsyncIterable<Uint8Array>): void =>
      // Entries are read one at a time. The archive does not notice errors of their streams.
      zip.addReadStreamLazy(name, (use) => {
        const stream = Readable.from(content(), { objectMode: false });
        use(
          null,
          stream.on('error', (error) => failed.abort(error)),
        );
      });
    for (const [name, columns] of Object.entries(tables)) {
      const query = `COPY ${copied(name, columns)} TO STDOUT (FORMAT binary)`;
      add(entryOf(name), () =>
        digesting(
          copyOut(client, query, (count) => (rows[name] = count)),
          (digest) => {
            digests[name] = digest;
          },
        ),
      );
    }
    add(CONTENTS, async function* () {
      yield Buffer.from(JSON.stringify(contents()));
    });
    add(DIGESTS, async function* () {
      yield Buffer.from(JSON.stringify(digests, null, 2));
    });
    zip.end({ comment: BLANK_SEAL, forceZip64Format: false });
    await pipeline([zip.outputStream, sealing(), ...encrypt, hashing(written), output], { signal: stop }).catch(
      (error: unknown) => {
        throw stop.aborted ? stop.reason : error;
      },
    );
  });
  return { digest: written.digest(), contents: contents() };
}

/** A step of a pipeline that changes nothing. */
function hashing(hash: Hash) {
  return async function* (source: AsyncIterable<Uint8Array>) {
    for await (const bytes of source) {
      hash.update(bytes);
      yield bytes;
    }
  };
}

/** If the output fails, nothing reads the rows anymore, and the connection ends before all are sent. */
function copyOut(client: Client, query: string, onEnd: (rows: number) => void): Readable {
  const rows = client.query(copyTo(query));
  rows.on('end', () => onEnd(rows.rowCount));
  return rows.on('error', (error) => rows.destroy(error));
}

async function* digesting(content: Readable, onEnd: (digest: string) => void): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  yield* hashing(hash)(content);
  onEnd(hash.digest('hex'));
}
