import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * A backup ends with the SHA-256 of everything before it, as the comment of the archive. The checksums of an archive don't cover
 * its directory and headers, in which a damaged name or offset can hide a table.
 */

const PREFIX = 'sha256:';
const SEAL_BYTES = PREFIX.length + 64;

/** The comment of an archive that `sealing` completes. */
export const BLANK_SEAL = PREFIX.padEnd(SEAL_BYTES, '0');

/** Replaces the `BLANK_SEAL` at the end of the stream with the seal. */
export function sealing(): Transform {
  const hash = createHash('sha256');
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([held, chunk]);
      const passed = bytes.subarray(0, Math.max(bytes.length - SEAL_BYTES, 0));
      held = bytes.subarray(passed.length);
      hash.update(passed);
      done(null, passed);
    },
    flush(done) {
      done(null, PREFIX + hash.digest('hex'));
    },
  });
}

/** Returns whether a file is unchanged since it was sealed. @throws Error of the file system or the signal */
export async function isSealed(path: string, signal?: AbortSignal): Promise<boolean> {
  const file = await open(path);
  try {
    const sealedBytes = (await file.stat()).size - SEAL_BYTES;
    if (sealedBytes < 1) return false;
    const { buffer } = await file.read(Buffer.alloc(SEAL_BYTES), 0, SEAL_BYTES, sealedBytes);
    const hash = createHash('sha256');
    await pipeline(createReadStream(path, { end: sealedBytes - 1 }), hash, { signal });
    return buffer.toString('latin1') === PREFIX + hash.digest('hex');
  } finally {
    await file.close();
  }
}
