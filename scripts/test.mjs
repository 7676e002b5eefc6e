// Sets sitewarden up if needed and runs its tests under the pinned Node.js:
//   node scripts/test.mjs [FOLDER | FILE | NAME | OPTION of node --test] ...
// A NAME matches part of a file's path, or if no file matches, part of the names of tests.
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { runInPlace } from './run-child.mjs';
import { projectDirectory, SetUpError, setUp } from './set-up.mjs';

/** Many files spend much of their time waiting for processes, pages and timers. With three, some waited too long for a core. */
const filesPerCore = 2;
/** Memory of a file that runs a browser, a service and a database. */
const fileMemoryBytes = 1_500_000_000;
/** A test that takes longer is hanging. */
const testTimeoutMs = 300_000;

const everything = 'test/**/*.test.ts';
/** Tests that require neither database nor validator. */
const unitTests = /^test\/unit(\/|$)/;

/** The files that take longest. If they ran last, they would leave a core idle. */
const firstTests = /^test\/(e2e\/|contract\/(a11y|browser|embedded|html)|unit\/patterns)/;
/** What a pattern of files treats as special. */
const special = /[*?[\]{}()!+@\\]/;

/**
 * Puts the slowest files first: the runner sorts files by path, and a path from the root (/) precedes those from the project.
 *
 * @param {readonly string[]} patterns
 */
function slowestFirst(patterns) {
  const files = globSync(patterns);
  // The runner reports patterns that match nothing.
  if (files.length === 0 || special.test(projectDirectory)) return patterns;
  return files.map((file) => (firstTests.test(file) ? join(projectDirectory, file) : file));
}

/** Turns an argument into what the test runner accepts: patterns of files and flags. */
function select(name) {
  const stat = statSync(name, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return { patterns: [`${name.replace(/\/+$/, '')}/**/*.test.ts`], flags: [] };
  if (stat?.isFile() || /[*?{]/.test(name)) return { patterns: [name], flags: [] };
  const wanted = name.toLowerCase();
  const files = readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file));
  const byPath = files.filter((file) => file.toLowerCase().includes(wanted));
  if (byPath.length > 0) return { patterns: byPath, flags: [] };
  const byTest = files.filter((file) => testNames(file).includes(wanted));
  if (byTest.length === 0) throw new SetUpError(`No file below test/ and no test has “${name}” in its name.`);
  return { patterns: byTest, flags: [`--test-name-pattern=/${name.replace(/[^\w\s]/g, '\\$&')}/i`] };
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
  const node = setUp({ dev: true });
  process.chdir(projectDirectory);
  const args = process.argv.slice(2);
  const names = args.filter((argument) => !argument.startsWith('-'));
  const selections = names.length === 0 ? [{ patterns: [everything], flags: [] }] : names.map(select);
  const patterns = selections.flatMap((selection) => selection.patterns);
  const options = [
    ...(patterns.every((pattern) => unitTests.test(pattern))
      ? []
      : ['--test-global-setup=test/helpers/global-setup.ts']),
    '--test-reporter=spec',
    `--test-concurrency=${filesAtATime()}`,
    `--test-timeout=${testTimeoutMs}`,
    ...selections.flatMap((selection) => selection.flags),
    ...args.filter((argument) => argument.startsWith('-')),
  ];
  // Cached compiled code, as with `npm start`, saves a third of the processor time of most files.
  process.env.NODE_COMPILE_CACHE ??= join(projectDirectory, 'node_modules', '.cache', 'sitewarden');
  runInPlace(node, ['--import=./test/helpers/end-file.ts', '--test', ...options, ...slowestFirst(patterns)]);
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
