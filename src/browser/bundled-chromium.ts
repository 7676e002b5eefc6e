import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { abandonedUnpackingMs } from './limits.ts';

const PACKAGE = '@sparticuz/chromium';
const decompress = promisify(brotliDecompress);

/** The unpacked contents of the package `@sparticuz/chromium`. */
export interface UnpackedChromium {
  readonly directory: string;
  readonly executable: string;
  /** Folder of NSS and other shared libraries, for machines that lack them. */
  readonly libraries: string;
  /** A fontconfig file for the fonts in the package, for machines without any. */
  readonly fontsConfiguration: string;
}

/**
 * Unpacks the bundled Chromium into `cacheDirectory`, unless this version of the package has been unpacked there already. Safe
 * when other processes do the same at the same time, and when killed half-way: the folder gets its final name at the end.
 * @throws Error when the package is not installed, or the directory cannot be written
 */
export async function unpackBundledChromium(cacheDirectory: string): Promise<UnpackedChromium> {
  const packageDirectory = join(dirname(fileURLToPath(import.meta.resolve(PACKAGE))), '..');
  const manifest: { version?: unknown } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8'));
  const directory = join(cacheDirectory, `chromium-${String(manifest.version)}`);
  const unpacked = layout(directory);
  if (!(await exists(unpacked.executable))) {
    await mkdir(cacheDirectory, { recursive: true });
    await removeAbandoned(cacheDirectory);
    await unpackInto(join(packageDirectory, 'bin'), directory);
  }
  return unpacked;
}

function layout(directory: string): UnpackedChromium {
  return {
    directory,
    executable: join(directory, 'chromium'),
    libraries: join(directory, 'lib'),
    fontsConfiguration: join(directory, 'fonts.conf'),
  };
}

async function unpackInto(source: string, directory: string): Promise<void> {
  const temporary = `${directory}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  const target = layout(temporary);
  try {
    await mkdir(temporary);
    await Promise.all([
      // Flushed before the rename, so that a power cut cannot leave half a browser under the final name.
      pipeline(
        createReadStream(join(source, 'chromium.br')),
        createBrotliDecompress({ chunkSize: 2 ** 21 }),
        createWriteStream(target.executable, { mode: 0o755, flush: true }),
      ),
      unpackArchive(join(source, 'al2023.tar.br'), temporary),
      unpackArchive(join(source, 'fonts.tar.br'), temporary),
    ]);
    await writeFile(target.fontsConfiguration, fontsConfiguration(join(directory, 'fonts')));
    await rename(temporary, directory);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process has unpacked it meanwhile.
    if (await exists(layout(directory).executable)) return;
    throw error;
  }
}

async function unpackArchive(file: string, directory: string): Promise<void> {
  await untar(await decompress(await readFile(file)), directory);
}

/** Replaces the package's own configuration, which names fixed system folders. */
function fontsConfiguration(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${escapeXml(directory)}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}

function escapeXml(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

/** Removes the folders of processes that were killed while unpacking. */
async function removeAbandoned(cacheDirectory: string): Promise<void> {
  for (const name of await readdir(cacheDirectory)) {
    if (!/^chromium-.*\.tmp$/.test(name)) continue;
    const path = join(cacheDirectory, name);
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    if (age > abandonedUnpackingMs) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const BLOCK_BYTES = 512;
const REGULAR_FILE_TYPES = new Set(['0', '\0']);

/**
 * Extracts the regular files of a ustar archive. Supports what the archives of the bundled browser use (short names, no links),
 * which saves a dependency.
 * @throws Error when the archive is truncated, or contains a path outside of the directory
 */
async function untar(archive: Buffer, directory: string): Promise<void> {
  let offset = 0;
  while (offset + BLOCK_BYTES <= archive.length) {
    const header = archive.subarray(offset, offset + BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(text(header, 124, 12), 8) || 0;
    const start = offset + BLOCK_BYTES;
    if (start + size > archive.length) throw new Error('The archive is truncated.');
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
  if (path.startsWith('..') || path.startsWith('/'))
    throw new Error(`The archive contains a path outside of its folder: ${name}`);
  return join(directory, path);
}
