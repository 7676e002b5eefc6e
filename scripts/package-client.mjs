// Writes the npm package of the client library into a folder: JavaScript and declarations.
//   npm run package-client [-- FOLDER]      then: npm publish ./package-client
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectDirectory, setUp } from './set-up.mjs';

/** What its users import. Dashboard and service share the other files, which may change at any time. */
const PUBLIC = ['.', './errors', './schema'];

setUp({ dev: true, web: false });
const source = join(projectDirectory, 'packages', 'client');
const folder = resolve(process.argv[2] ?? join(projectDirectory, 'package-client'));
rmSync(folder, { recursive: true, force: true });
const compiler = join(projectDirectory, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', source, '--outDir', folder], { stdio: 'inherit' });
cpSync(join(source, 'README.md'), join(folder, 'README.md'));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
cpSync(join(projectDirectory, 'LICENSE'), join(folder, 'LICENSE'));
process.stdout.write(`${folder}\n`);

/**
 * The workspace exports TypeScript, which Node.js does not strip below `node_modules`, and is private, so that it is not
 * published.
 */
function manifest() {
  const { private: _, exports, ...rest } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const compiled = PUBLIC.map((name) => {
    const file = exports[name].replace(/\.ts$/, '');
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }];
  });
  return { ...rest, exports: Object.fromEntries(compiled) };
}
