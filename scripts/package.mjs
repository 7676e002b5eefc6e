// Writes the npm package into a folder: compiled sources, the built dashboard, the documentation of users, and nothing that only
// development needs.
//   npm run package [-- FOLDER]      then: npm pack ./package, npm publish ./package
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { projectDirectory, setUp } from './set-up.mjs';

/** What `scripts/run.mjs` needs of the folder. */
const SCRIPTS = ['run.mjs', 'run-child.mjs', 'set-up.mjs', 'web-build-key.mjs'];
const COPIED = [
  ...['LICENSE', 'CHANGELOG.md', 'deploy', 'migrations', 'web/dist'],
  ...SCRIPTS.map((name) => `scripts/${name}`),
];
/** Pages of `docs` about development, or with screenshots. */
const UNPACKED_DOCS = ['npm.md', 'architecture.md', 'benchmarks.md', 'decisions', 'tutorial.md', 'pictures'];
/** Modules by their path relative to the importing one, in imports and in `new URL(…, import.meta.url)`. */
const MODULE_PATH = /(?<=['"]\.\.?\/[^'"\n]*)\.ts(?=['"])/g;

setUp({ dev: true, web: true });
const folder = resolve(process.argv[2] ?? join(projectDirectory, 'package'));
rmSync(folder, { recursive: true, force: true });
for (const name of COPIED) cpSync(join(projectDirectory, name), join(folder, name), { recursive: true });
compile('src');
// Without what its own package needs.
compile('packages/client', (name) => name.endsWith('.ts'));
documents();
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
writeFileSync(join(folder, 'README.md'), readMe());
process.stdout.write(`${folder}\n`);

/**
 * Compiles the TypeScript files of a folder and copies the others. Types are replaced by spaces, so that lines and columns in
 * stack traces match the sources. Node.js strips no types of packages itself.
 */
function compile(name, isNeeded = () => true) {
  for (const entry of readdirSync(join(projectDirectory, name), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !isNeeded(entry.name)) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(folder, source.slice(projectDirectory.length));
    mkdirSync(dirname(target), { recursive: true });
    if (!entry.name.endsWith('.ts')) cpSync(source, target);
    else writeFileSync(target.replace(/\.ts$/, '.js'), compiled(readFileSync(source, 'utf8')));
  }
}

function compiled(text) {
  return stripTypeScriptTypes(text, { mode: 'strip' }).replace(MODULE_PATH, '.js');
}

/** Returns `docs/npm.md` with its links as they are from the root. */
function readMe() {
  const text = readFileSync(join(projectDirectory, 'docs', 'npm.md'), 'utf8');
  return text.replaceAll(/\]\((?!https?:|\.\.)/g, '](docs/').replaceAll('](../', '](');
}

/** Copies the documentation, with commands as people type them in the package, and without links to files that it lacks. */
function documents() {
  const names = readdirSync(join(projectDirectory, 'docs')).filter((name) => !UNPACKED_DOCS.includes(name));
  for (const name of ['ci/gitlab.yml', ...names.map((name) => `docs/${name}`)]) {
    cpSync(join(projectDirectory, name), join(folder, name), { recursive: true });
  }
  for (const name of readdirSync(join(folder, 'docs'), { recursive: true })) {
    if (!name.endsWith('.md')) continue;
    const path = join(folder, 'docs', name);
    const text = readFileSync(path, 'utf8').replaceAll(/npm start (?:-s )?-- /g, 'npx sitewarden ');
    writeFileSync(
      path,
      text.replaceAll(/\[([^\]]+)\]\(([^):#]+)(?:#[^)]*)?\)/g, (link, words, target) =>
        existsSync(join(dirname(path), target)) ? link : words,
      ),
    );
  }
}

/** Direct dependencies have the exact versions of the lock file, since results depend on them. */
function manifest() {
  const { name, version, description, license, type, bin, engines, dependencies, optionalDependencies } =
    read('package.json');
  const { packages } = read('package-lock.json');
  const versions = Object.keys(dependencies).map((dependency) => [
    dependency,
    packages[`node_modules/${dependency}`].version,
  ]);
  return {
    name,
    version,
    description,
    license,
    keywords: ['html', 'validator', 'w3c', 'vnu', 'accessibility', 'axe', 'wcag', 'crawler', 'site', 'ci'],
    type,
    bin,
    // It is a program, not a library.
    exports: {},
    engines,
    files: ['CHANGELOG.md', 'ci', 'deploy', 'docs', 'migrations', 'packages', 'scripts', 'src', 'web/dist'],
    dependencies: Object.fromEntries(versions),
    optionalDependencies,
  };
}

function read(name) {
  return JSON.parse(readFileSync(join(projectDirectory, name), 'utf8'));
}
