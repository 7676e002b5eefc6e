import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/check-migrations.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
const repository = join(folder, 'repository');
const first = join(repository, 'migrations/0001_first.sql');
const second = join(repository, 'migrations/0002_second.sql');

after(() => rmSync(folder, { recursive: true }));

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
