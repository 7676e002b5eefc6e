// Writes the npm package of the client library into a folder: JavaScript and declarations.
//   npm run package-client [-- FOLDER]      then: npm publish ./package-client
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectDirectory, setUp } from './set-up.mjs';

setUp({ dev: true, web: false });
const source = join(projectDirectory, 'packages', 'client');
const folder = resolve(process.argv[2] ?? join(projectDirectory, 'package-client'));
rmSync(folder, { recursive: true, force: true });
const compiler = join(projectDirectory, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', source, '--outDir', folder], { stdio: 'inherit' });
for (const name of ['package.json', 'README.md']) cpSync(join(source, name), join(folder, name));
cpSync(join(projectDirectory, 'LICENSE'), join(folder, 'LICENSE'));
process.stdout.write(`${folder}\n`);
