/**
 * Checks that no migration has changed since the commit that added it: databases record migrations by name, so those that have
 * applied it would never get the change. Compares with the history of HEAD, first parents only, so that a merge counts as one
 * change. In a shallow clone, checks the existing history; without a repository, checks nothing. Migrations after the first
 * release are also checked for the rules in migration-rules.mjs.
 *   node scripts/run.mjs --script scripts/check-migrations.mjs [REPOSITORY]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrationFaults } from './migration-rules.mjs';

/** The schema of the first release, where the comparison starts: unreleased versions had other migrations. */
const FIRST = 'migrations/0001_schema.sql';
const FOLDER = 'migrations';

const repository = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));

function git(...args) {
  const { status, stdout, stderr, error } = spawnSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: repository,
    encoding: 'utf8',
  });
  if (status === 0) return stdout.split('\n').filter(Boolean);
  throw new Error((error?.message ?? stderr).trim());
}

/** The commit that added the schema of the first release, or the oldest commit in the clone. */
function oldestCommit() {
  const added = git(
    'log',
    '--first-parent',
    '-m',
    '--diff-filter=A',
    '--no-renames',
    '--format=%H',
    'HEAD',
    '--',
    FIRST,
  );
  return added.at(-1) ?? git('rev-list', '--first-parent', 'HEAD').at(-1);
}

/** The path of each migration with the object name of its first version. */
function firstContents() {
  const start = oldestCommit();
  const atStart = git('ls-tree', '-r', start, '--', FOLDER).map((line) => {
    const [, object, path] = /^\d+ blob (\w+)\t(.+)$/.exec(line) ?? [];
    return [path, object];
  });
  const raw = ['--raw', '--no-abbrev', '--no-renames', '--format='];
  const added = git('log', '--first-parent', '-m', '--diff-filter=A', ...raw, `${start}..HEAD`, '--', FOLDER).map(
    (line) => {
      const [, object, path] = /^:\d+ \d+ \w+ (\w+) A\t(.+)$/.exec(line) ?? [];
      return [path, object];
    },
  );
  // The log begins with the newest commit, so the oldest entry of a path wins.
  return new Map([...added, ...atStart].filter(([path]) => path?.endsWith('.sql')));
}

function faultOf([path, object]) {
  if (!existsSync(join(repository, path))) return `${path} was removed or renamed.`;
  return git('hash-object', path)[0] === object ? [] : `${path} differs from its first version.`;
}

/** The faults of migrations that follow a release. */
function unsafe() {
  const file = join(repository, FOLDER, 'releases.json');
  const releases = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const first = Object.values(releases).sort()[0];
  if (first === undefined) return [];
  const names = readdirSync(join(repository, FOLDER)).filter((name) => name.endsWith('.sql') && name > first);
  return names.sort().flatMap((name) => {
    const text = readFileSync(join(repository, FOLDER, name), 'utf8');
    return migrationFaults(text, releases).map((fault) => `${FOLDER}/${name} ${fault}`);
  });
}

const broken = unsafe();
for (const fault of broken) console.error(fault);
if (broken.length > 0) process.exitCode = 1;

try {
  const faults = [...firstContents()].flatMap(faultOf);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(
      'Databases that have applied a migration never apply it again. Restore it and write a new one; if the commit that ' +
        'added it has not been pushed, amend that commit instead.',
    );
    process.exitCode = 1;
  }
} catch (error) {
  console.error(`Migrations were not compared with their history: ${error.message}`);
  // Without a repository, as in a package, there is nothing to compare with.
  if (existsSync(join(repository, '.git'))) process.exitCode = 1;
}
