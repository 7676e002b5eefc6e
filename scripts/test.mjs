// Sets sitewarden up if needed and runs its tests under the pinned Node.js:
//   node scripts/test.mjs [FOLDER | FILE | NAME | OPTION of node --test] ...
// A NAME matches part of a file's path, or if no file matches, part of the names of tests.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { runInPlace } from './run-child.mjs';
import { projectDirectory, SetUpError, setUp } from './set-up.mjs';
import { createTestMemory } from './test-memory.mjs';
import { writeProcesses } from './test-processes.mjs';
import { isWebBuilt } from './web-build-key.mjs';

/** Many files spend much of their time waiting for processes, pages and timers. */
const filesPerCore = 3;
/** Memory of a file that runs a browser, a service and a database. */
const fileMemoryBytes = 1_500_000_000;
/** A test or group that takes longer is hanging, even on a machine with ten times more work than cores. */
const testTimeoutMs = 900_000;

const everything = 'test';
/** For the files that `writeProcesses` writes; removed at the end. */
const processesDirectory = join('.test-data', `processes-${process.pid}`);
/** Tests that require neither database nor validator. */
const unitTests = /^test\/unit(\/|$)/;

/** Turns an argument into what the test runner accepts: patterns of files and flags. Files of a folder share processes. */
function select(name) {
  const stat = statSync(name, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return { patterns: filesIn(relative(projectDirectory, name)), flags: [], isFolder: true };
  if (stat?.isFile() || /[*?{]/.test(name)) return { patterns: [name], flags: [] };
  const wanted = name.toLowerCase();
  const files = filesIn('test');
  const byPath = files.filter((file) => file.toLowerCase().includes(wanted));
  if (byPath.length > 0) return { patterns: byPath, flags: [] };
  const byTest = files.filter((file) => testNames(file).includes(wanted));
  if (byTest.length === 0) throw new SetUpError(`No file below test/ and no test has “${name}” in its name.`);
  return { patterns: byTest, flags: [`--test-name-pattern=/${name.replace(/[^\w\s]/g, '\\$&')}/i`] };
}

function filesIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  if (files.length === 0) throw new SetUpError(`${folder} contains no file that ends in .test.ts.`);
  return files.map((file) => join(folder, file));
}

/** Returns the names of a file's tests in lower case, as written in its source. */
function testNames(file) {
  const calls = readFileSync(file, 'utf8').matchAll(/\b(?:it|test|describe)(?:\.\w+)?\(\s*(['"`])(.*?)\1/gs);
  return Array.from(calls, ([, , name]) => name.toLowerCase()).join('\n');
}

function filesAtATime() {
  return Math.max(2, Math.min(availableParallelism() * filesPerCore, Math.floor(totalmem() / fileMemoryBytes)));
}

try {
  process.chdir(projectDirectory);
  const args = process.argv.slice(2);
  const names = args.filter((argument) => !argument.startsWith('-'));
  const selections = (names.length === 0 ? [everything] : names).map(select);
  const flags = [...selections.flatMap((selection) => selection.flags), ...args.filter((name) => name.startsWith('-'))];
  const patterns = selections.flatMap((selection) => selection.patterns);
  // Patterns of names would skip the tests that stand for files.
  const isShared = selections.some(({ isFolder }) => isFolder) && flags.length === 0;
  const isUnit = patterns.every((pattern) => unitTests.test(pattern));
  const node = setUp({ dev: true, web: !isUnit });
  if (!isUnit && !isWebBuilt(projectDirectory)) {
    throw new SetUpError('The tests need the dashboard, which could not be built. Run `npm run build` to see why.');
  }
  const options = [
    ...(isUnit ? [] : ['--test-global-setup=test/helpers/global-setup.ts']),
    '--test-reporter=spec',
    `--test-concurrency=${filesAtATime()}`,
    `--test-timeout=${testTimeoutMs}`,
    ...flags,
  ];
  // Cached compiled code, as with `npm start`, saves a third of the processor time of most files.
  process.env.NODE_COMPILE_CACHE ??= join(projectDirectory, 'node_modules', '.cache', 'sitewarden');
  const memory = createTestMemory();
  if (memory !== null) process.env.TMPDIR = process.env.TEST_MEMORY = memory;
  const files = isShared ? writeProcesses(patterns, processesDirectory) : patterns;
  process.once('exit', () => rmSync(processesDirectory, { recursive: true, force: true }));
  runInPlace(node, ['--import=./test/helpers/end-file.ts', '--test', ...options, ...files]);
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
