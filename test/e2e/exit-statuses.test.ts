import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ExitStatus } from '../../src/commands/exit-status.ts';
import type { Ended } from '../helpers/command-line.ts';
import { createTestDatabase, refuseReports, runSql, type TestDatabase } from '../helpers/database.ts';
import { runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';

/** The statuses of a `check` without a result; the tests of `check` cover the others. None of them is the status for issues. */

const projectDirectory = join(import.meta.dirname, '../..');

let database: TestDatabase;
let folder: string;

before(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'sitewarden-statuses-'));
});
after(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function check(): Promise<Ended> {
  const settings = { DATABASE_URL: database.connectionString, SITEWARDEN_DATA_DIR: folder };
  return runHere(['check', 'http://127.0.0.1:9/', '--no-a11y'], { ...settings, ...(await sharedValidator()) });
}

test('an unexpected error of the database is an internal error', async () => {
  await refuseReports(database.connectionString);
  const { status, stdout, stderr } = await check();
  await runSql(database.connectionString, 'DROP FUNCTION refuse CASCADE');
  assert.deepEqual([status, stdout], [ExitStatus.internal, ''], stderr);
  assert.match(stderr, /^Unexpected error. Please report it: error: nobody expects this\n +at /m);
});

test('a check that cannot start, such as one without credits, is not a site with issues', async () => {
  await runSql(database.connectionString, 'UPDATE accounts SET credits = 0');
  const { status, stderr } = await check();
  assert.equal(status, ExitStatus.notCheckable, stderr);
  assert.match(stderr, /^There are not enough credits left\./m);
});

test('a check whose dependencies cannot be installed is not a site with issues either', async () => {
  const checkout = join(folder, 'checkout');
  for (const name of ['scripts', 'package.json', 'package-lock.json'])
    cpSync(join(projectDirectory, name), join(checkout, name), { recursive: true });
  const run = (...args: string[]) =>
    // There is no npm on the path.
    spawnSync(process.execPath, ['scripts/run.mjs', ...args], {
      cwd: checkout,
      env: { PATH: folder },
      encoding: 'utf8',
    });
  const { status, stderr } = run('check', 'http://127.0.0.1:9/');
  assert.match(stderr, /^npm cannot be run /m);
  assert.equal(status, ExitStatus.notCheckable);
  assert.equal(run('doctor').status, ExitStatus.fault);
});

test('check --help and docs/exit-codes.md list all of them', async () => {
  const { stdout } = await runHere(['check', '--help']);
  const statuses = [...new Set(Object.values(ExitStatus))].sort((one, other) => one - other);
  const [, help = ''] = stdout.split('Exit status:\n');
  assert.deepEqual(
    [...help.matchAll(/^ {2}(\d+) /gm)].map(([, status]) => Number(status)),
    statuses,
  );
  const docs = readFileSync(join(projectDirectory, 'docs/exit-codes.md'), 'utf8');
  assert.deepEqual(
    [...docs.matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status)),
    statuses,
  );
});
