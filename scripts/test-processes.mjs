// Divides the files of a test run among processes. Plain JavaScript for Node.js 20.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The longest that Node.js takes. */
const timeoutMaxMs = 2 ** 31 - 1;

/**
 * Processes of the files that take longest, first, so that none runs alone in the end. Those that change or measure their process
 * have one of their own. Those that mostly wait are between those that compute, so that a core is rarely idle.
 */
const LONG = [
  ['e2e/life-cycle'],
  ['e2e/numbers', 'e2e/dashboard-states', 'e2e/dashboard-live'],
  ['contract/settling', 'contract/a11y-hostile', 'contract/located-elements'],
  ['e2e/mcp', 'e2e/check-command', 'e2e/check-baseline'],
  ['crawling/dynamic-crawler', 'e2e/whole-site', 'e2e/site-access-browser'],
  ['e2e/check-configuration', 'e2e/occurrence-changes', 'e2e/reuse'],
  ['crawling/database-outages', 'crawling/host-limit'],
  ['e2e/dashboard-screens'],
  ['e2e/dashboard-account', 'e2e/dashboard-ways', 'e2e/dashboard-report'],
  ['e2e/hostile-site'],
  ['contract/vnu-server'],
  ['api/permissions'],
  ['e2e/check-alone', 'e2e/formats-agree'],
  ['e2e/readme', 'e2e/notification-losses'],
  ['e2e/ci', 'e2e/kills'],
  ['contract/a11y-exactness'],
  ['contract/browser-pool'],
  ['api/fuzz', 'contract/html-exactness'],
  ['contract/memory-watch'],
  ['e2e/release'],
  ['unit/patterns'],
];

/** The other files share processes with files of their folder. Folders whose files take longer start first. */
const FOLDERS = ['e2e', 'contract', 'crawling', 'store', 'api', 'unit'];

/** Starting a process and loading the service takes most of a second of processor time; a long process leaves a core idle. */
const filesPerProcess = 15;
/** A unit test takes little more than loading what it tests, which files of a process load once. */
const unitFilesPerProcess = 35;

/**
 * @param {readonly string[]} files from the project, such as `test/unit/scope.test.ts`
 * @returns {string[][]} the files of each process, in the order in which they start
 */
function divide(files) {
  const long = LONG.map((names) =>
    names.map((name) => join('test', `${name}.test.ts`)).filter((file) => files.includes(file)),
  );
  const others = files.filter((file) => !long.flat().includes(file)).sort();
  const shared = FOLDERS.flatMap((folder) => deal(others.filter((file) => file.split(sep)[1] === folder)));
  const elsewhere = others.filter((file) => !FOLDERS.includes(file.split(sep)[1]));
  return [...long, ...elsewhere.map((file) => [file]), ...shared].filter(({ length }) => length > 0);
}

/** Deals files out in turn: neighbours are often alike. */
function deal(files) {
  const isUnit = files[0]?.startsWith(join('test', 'unit'));
  const processes = Math.ceil(files.length / (isUnit ? unitFilesPerProcess : filesPerProcess));
  return Array.from({ length: processes }, (_, nth) => files.filter((_file, index) => index % processes === nth));
}

/**
 * Writes a file for each process, which runs the tests of its files one file after the other. Each file is a test, so that
 * hooks outside of suites apply to the file only.
 *
 * @param {readonly string[]} files
 * @param {string} directory is created
 * @returns {string[]} the files for the runner, which starts them in the order of their names
 */
export function writeProcesses(files, directory) {
  mkdirSync(directory, { recursive: true });
  return divide(files).map((contents, index) => {
    const path = join(directory, `${String(index + 1).padStart(3, '0')}.test.mjs`);
    const lines = contents.map((file) => `test('${file}', options, () => import('${pathToFileURL(file)}'));\n`);
    writeFileSync(
      path,
      // The limit is for single tests.
      `import { test } from 'node:test';\nconst options = { timeout: ${timeoutMaxMs} };\n${lines.join('')}`,
    );
    return path;
  });
}
