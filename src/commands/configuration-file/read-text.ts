import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { codeOf, messageOf } from '../../platform/errors.ts';
import { sizeMaxBytes } from './read-yaml.ts';
import { usage } from './usage.ts';

/**
 * Reads UTF-8 text of at most `maxBytes` from a file or pipe. With a byte order mark, it may be UTF-16, which Windows shells
 * write.
 * @param title names the file in messages
 * @throws AppError invalid_usage if there is no such file, or it is not a file
 */
export async function readText(path: string, title: string, maxBytes = sizeMaxBytes): Promise<string> {
  // Pipes and devices do not report their size.
  const bytes = await buffer(createReadStream(path, { end: maxBytes })).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') throw usage(`${title} does not exist`, cause);
    throw usage(`${title} cannot be read: ${messageOf(cause)}`, cause);
  });
  if (bytes.length > maxBytes) throw usage(`${title} is larger than ${maxBytes / 1_024} KiB`);
  const text = decoded(bytes);
  if (text === null || text.includes('\0')) throw usage(`${title} is not UTF-8 text`);
  return text;
}

/** Returns null if the bytes are not text. */
function decoded(bytes: Buffer): string | null {
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.subarray(0, 2).toString('hex')] ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
