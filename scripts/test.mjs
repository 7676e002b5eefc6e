// Sets sitewarden up if needed and runs its tests under the pinned Node.js:
//   node scripts/test.mjs [FOLDER | FILE | OPTION OF node --test] ...
import { statSync } from 'node:fs';
import { runInPlace } from './run-child.mjs';
import { projectDirectory, SetUpError, setUp } from './set-up.mjs';

const filesAtATime = 2;
/** A test that takes longer hangs. */
const testTimeoutMs = 300_000;

const options = [
  '--test-global-setup=test/helpers/global-setup.ts',
  '--test-reporter=spec',
  `--test-concurrency=${filesAtATime}`,
  `--test-timeout=${testTimeoutMs}`,
];

/** The runner takes files and patterns; people like to name a folder. */
function toPattern(path) {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? `${path.replace(/\/+$/, '')}/**/*.test.ts` : path;
}

try {
  const node = setUp({ dev: true });
  process.chdir(projectDirectory);
  const args = process.argv.slice(2);
  const flags = args.filter((argument) => argument.startsWith('-'));
  const patterns = args.filter((argument) => !argument.startsWith('-')).map(toPattern);
  runInPlace(node, ['--test', ...options, ...flags, ...(patterns.length > 0 ? patterns : ['test/**/*.test.ts'])]);
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
