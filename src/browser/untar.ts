import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

const BLOCK_BYTES = 512;
const REGULAR_FILE_TYPES = new Set(['0', '\0']);

/**
 * Writes the regular files of a ustar archive below a directory. Enough for the archives that come with the bundled
 * browser (short names, no links), so that no archive library is needed for them.
 * @throws Error when the archive is cut short or a name leads out of the directory
 */
export async function untar(archive: Buffer, directory: string): Promise<void> {
  let offset = 0;
  while (offset + BLOCK_BYTES <= archive.length) {
    const header = archive.subarray(offset, offset + BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(text(header, 124, 12), 8) || 0;
    const start = offset + BLOCK_BYTES;
    if (start + size > archive.length) throw new Error('The archive is cut short.');
    if (REGULAR_FILE_TYPES.has(String.fromCharCode(header[156] ?? 0))) {
      const prefix = text(header, 345, 155);
      const path = inside(directory, prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`);
      await mkdir(dirname(path), { recursive: true });
      const mode = Number.parseInt(text(header, 100, 8), 8) || 0o644;
      await writeFile(path, archive.subarray(start, start + size), { mode: mode & 0o777 });
    }
    offset = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
}

function text(header: Buffer, start: number, length: number): string {
  const field = header.toString('utf8', start, start + length);
  const end = field.indexOf('\0');
  return (end < 0 ? field : field.slice(0, end)).trim();
}

function inside(directory: string, name: string): string {
  const path = normalize(name);
  if (path.startsWith('..') || path.startsWith('/')) throw new Error(`The archive holds a file outside of it: ${name}`);
  return join(directory, path);
}
