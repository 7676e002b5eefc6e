import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { AppError, messageOf } from '../platform/errors.ts';
import type { BrowserUser } from './browser-user.ts';
import { type UnpackedChromium, unpackBundledChromium } from './bundled-chromium.ts';
import { browserTrialMs } from './limits.ts';

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

/** A browser that was seen to start. */
export interface FoundChromium {
  readonly executable: string;
  /** As it says itself, such as `Chromium 153.0.8010.0`. */
  readonly version: string;
  /** The browser's whole environment: no setting or secret of this process is in it. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface FindChromiumOptions {
  /** The setting `SITEWARDEN_CHROMIUM`; null means: search. */
  readonly executable: string | null;
  /** Where the bundled browser is unpacked, about 215 MB. */
  readonly cacheDirectory: string;
  /** False goes straight to the bundled browser. Default true. */
  readonly searchMachine?: boolean;
  /** Whom it has to start as. Default: the user of this process. */
  readonly user?: BrowserUser;
}

/**
 * The browser to use: the one that was set, else one found on the machine, else the bundled one, which is unpacked at
 * the first time (about 3 s). Each candidate is tried with `--version`, so that a stub or a browser whose libraries are
 * missing is passed over.
 * @throws AppError browser_missing with the remedy
 */
export async function findChromium(options: FindChromiumOptions): Promise<FoundChromium> {
  if (options.executable !== null) {
    // It is started in another folder than this process.
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
    // A damaged file would otherwise stay damaged for ever.
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
  // The machine's own libraries come first; the ones in the package are older and meant for machines without any.
  return tryBrowser(unpacked.executable, { ...environment, LD_LIBRARY_PATH: unpacked.libraries }, user);
}

function fontsOf(unpacked: UnpackedChromium): Record<string, string> {
  return { FONTCONFIG_FILE: unpacked.fontsConfiguration };
}

/** Without any font all text has no size, and checks of contrast and target size would find nothing. */
async function hasFonts(): Promise<boolean> {
  for (const directory of FONT_DIRECTORIES) {
    const names = await readdir(directory, { recursive: true }).catch(() => []);
    if (names.some((name) => /\.(ttf|otf|ttc|pfb)$/i.test(name))) return true;
  }
  return false;
}

/** Language and time zone are fixed, so that pages look the same on every machine; HOME leads to private certificates. */
function baseEnvironment(): Record<string, string> {
  return { HOME: homedir(), PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'en_US.UTF-8', TZ: 'UTC' };
}

/** The browser, or why it does not start. */
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
  // The shell inherits our PATH, and prints the path of each command that exists.
  const script = 'for name in "$@"; do command -v "$name"; done; true';
  const found = await run('/bin/sh', ['-c', script, 'sh', ...NAMES_ON_PATH]).catch(() => ({ stdout: '' }));
  const onPath = found.stdout.split('\n').filter((line) => line.startsWith('/'));
  return [...new Set([...onPath, ...USUAL_PLACES])];
}
