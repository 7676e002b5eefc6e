import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../platform/errors.ts';

/** Writes to standard output as fast as it is read. The reader may close the pipe early. */
export async function writeToPipe(chunks: Readable, stdout: NodeJS.WritableStream): Promise<void> {
  await pipeline(chunks, stdout, { end: false }).catch((error: unknown) => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
}
