import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
// @ts-expect-error It has no types.
import { migrationFaults } from '../../scripts/migration-rules.mjs';

const script = fileURLToPath(new URL('../../scripts/check-migrations.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
const repository = join(folder, 'repository');
const first = join(repository, 'migrations/0001_first.sql');
const second = join(repository, 'migrations/0002_second.sql');

after(() => rmSync(folder, { recursive: true }));

// In a Git hook, these variables name the repository of the project.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...args], { cwd: repository, stdio: ['ignore', 'ignore', 'pipe'] });
}

function commit(): void {
  git('add', '.');
  git('commit', '-q', '-m', 'Change');
}

function check(path = repository): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [script, path], { encoding: 'utf8' });
  return { status, stderr };
}

it('a migration must stay as first committed', () => {
  mkdirSync(join(repository, 'migrations'), { recursive: true });
  git('init', '-q');
  writeFileSync(first, 'SELECT 1;');
  commit();
  writeFileSync(second, 'SELECT 2;');
  assert.deepEqual(check(), { status: 0, stderr: '' }, 'a new migration is not committed yet');
  commit();
  assert.deepEqual(check(), { status: 0, stderr: '' });

  writeFileSync(second, 'SELECT 3;');
  assert.match(check().stderr, /^migrations\/0002_second\.sql differs from its first version\.$/m);
  commit();
  assert.equal(check().status, 1, 'committing the change does not help');
  writeFileSync(second, 'SELECT 2;');
  assert.equal(check().status, 0, 'restoring the content does');

  renameSync(first, join(repository, 'migrations/0003_first.sql'));
  commit();
  assert.match(check().stderr, /^migrations\/0001_first\.sql was removed or renamed\.$/m);
});

it('migrations after a release must work with that release, and lock no table for long', () => {
  const of = (text: string): string[] =>
    migrationFaults(text, { '0.1.0': '0001_first.sql' }).map((fault: string) => /"([\w-]+)"/.exec(fault)?.[1] ?? fault);
  for (const text of [
    'CREATE TABLE b (id int NOT NULL); CREATE INDEX ON b (id); INSERT INTO b SELECT 1; ALTER TABLE b ADD UNIQUE (id);',
    "ALTER TABLE a ADD COLUMN c text, ADD COLUMN d text NOT NULL DEFAULT 'a, NOT NULL', ADD e timestamptz DEFAULT now()",
    'ALTER TABLE a ADD CONSTRAINT c CHECK (d > 0) NOT VALID; ALTER TABLE a VALIDATE CONSTRAINT f;',
    'DROP INDEX CONCURRENTLY IF EXISTS c; CREATE INDEX CONCURRENTLY c ON a (d);',
    'CREATE OR REPLACE FUNCTION c() RETURNS void LANGUAGE sql AS $$ DELETE FROM a; $$;',
    '-- allow drop: unused since 0.1.0\nALTER TABLE a DROP COLUMN c;',
    '-- allow data: one row\nUPDATE installation SET paused_at = NULL;',
  ])
    assert.deepEqual(of(text), [], text);
  for (const [text, ...rules] of [
    ['ALTER TABLE a DROP COLUMN c, ADD COLUMN d int NOT NULL', 'drop', 'not-null'],
    ['-- allow drop: unused since 0.2.0\nDROP TABLE a', 'drop'],
    ['ALTER TABLE a RENAME TO b', 'rename'],
    [
      'ALTER TABLE a ALTER COLUMN c TYPE bigint, ALTER c SET NOT NULL, ALTER d DROP DEFAULT',
      'type',
      'not-null',
      'default',
    ],
    ['ALTER TABLE a ADD COLUMN c uuid DEFAULT gen_random_uuid()', 'rewrite'],
    ['ALTER TABLE a ADD FOREIGN KEY (c) REFERENCES b', 'constraint'],
    ['ALTER TABLE a ADD COLUMN c text CHECK (c > 0)', 'constraint'],
    ['CREATE INDEX c ON a (d)', 'index'],
    ['UPDATE a SET c = 1; DO $$ BEGIN END $$', 'data', 'code'],
    ['TRUNCATE a', 'lock'],
    ['CREATE INDEX CONCURRENTLY c ON a (d); CREATE TABLE e (f int)', 'concurrent', 'repeatable'],
  ] as const)
    assert.deepEqual(of(text), rules, text);

  const releases = join(repository, 'migrations/releases.json');
  writeFileSync(releases, '{ "0.1.0": "0001_first.sql" }');
  writeFileSync(join(repository, 'migrations/0004_third.sql'), 'DROP TABLE a;');
  assert.match(check().stderr, /^migrations\/0004_third\.sql breaks the rule "drop": drop it a release after/m);
  rmSync(join(repository, 'migrations/0004_third.sql'));
  rmSync(releases);
});

it('a shallow clone is compared as far as its history goes', () => {
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${repository}`, join(folder, 'shallow')]);
  assert.deepEqual(check(join(folder, 'shallow')), { status: 0, stderr: '' });
  writeFileSync(join(folder, 'shallow/migrations/0002_second.sql'), 'SELECT 4;');
  assert.equal(check(join(folder, 'shallow')).status, 1);
});

it('without a repository the check passes and says so', () => {
  const bare = mkdtempSync(join(folder, 'bare-'));
  const { status, stderr } = check(bare);
  assert.equal(status, 0);
  assert.match(stderr, /^Migrations were not compared with their history: /);
});
