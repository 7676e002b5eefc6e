#!/usr/bin/env node
// Sets sitewarden up if needed and runs its command line, or another script of the project, under the pinned Node.js:
//   node scripts/run.mjs [COMMAND ...]
//   node scripts/run.mjs --script FILE [ARGUMENT ...]
import { join, resolve } from 'node:path';
import { runInPlace } from './run-child.mjs';
import { isPackage, projectDirectory, SetUpError, setUp } from './set-up.mjs';

const args = process.argv.slice(2);
/** `ExitStatus` in src/commands/exit-status.ts. `check` uses 1 for issues only. */
const notSetUpStatus = args[0] === 'check' ? 3 : 1;

try {
  const isScript = args[0] === '--script' && args[1] !== undefined;
  // Options of `serve` may come without its name.
  const web = !isScript && (args[0] === undefined || args[0] === 'serve');
  const node = setUp({ dev: isScript, web });
  const program = isScript
    ? [resolve(projectDirectory, args[1]), ...args.slice(2)]
    : [join(projectDirectory, isPackage ? 'src/cli.js' : 'src/cli.ts'), ...args];
  // Cached compiled code saves a third of the start. If the folder is not writable, Node.js does without.
  process.env.NODE_COMPILE_CACHE ??= join(projectDirectory, 'node_modules', '.cache', 'sitewarden');
  runInPlace(node, program);
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = notSetUpStatus;
}
