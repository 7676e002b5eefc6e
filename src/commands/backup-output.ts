import { Writable } from 'node:stream';
import { isDiskFull } from '../platform/database-errors.ts';
import { AppError, messageOf } from '../platform/errors.ts';

/**
 * Returns a stream that writes to another stream and ends when the other has accepted everything.
 * @param name of the output, for error messages
 * @param ends whether the other stream ends with it; false for the standard output
 * @throws (as the error of the stream) AppError disk_full, output_failed
 */
export function backupOutput(to: NodeJS.WritableStream, name: string, ends: boolean): Writable {
  // Each write reports its own error.
  to.on('error', () => undefined);
  const ended = (done: (error?: Error | null) => void) => (error?: Error | null) =>
    done(error ? outputFault(name, error) : null);
  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void to.write(chunk, ended(done)),
    final: (done) => (ends ? void to.end(ended(done)) : done()),
  });
}

function outputFault(name: string, cause: Error): AppError {
  const problem = `The backup cannot be written to ${name}`;
  return isDiskFull(cause)
    ? new AppError('disk_full', `${problem}: the disk is full. Free up space, then run the command again.`, { cause })
    : new AppError('output_failed', `${problem}: ${messageOf(cause)}.`, { cause });
}
