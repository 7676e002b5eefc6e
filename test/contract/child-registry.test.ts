import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openChildRegistry } from '../../src/platform/child-registry.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from '../../src/platform/process-identity.ts';
import { until } from '../helpers/until.ts';

let directory: string;
let started: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'child-registry-'));
  started = [];
});

afterEach(() => {
  for (const { pid } of started) endGroup(pid);
  rmSync(directory, { recursive: true });
});

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** A group of two, like a browser with its helpers; resolves with the pids of both. */
async function startGroup(): Promise<readonly [leader: number, member: number]> {
  const child = spawn('/bin/sh', ['-c', 'sleep 300 & echo $!; wait'], { detached: true });
  started.push(child);
  const [line] = await once(child.stdout, 'data');
  assert.ok(child.pid);
  return [child.pid, Number(line)];
}

/** Another process that records pids as its children, forgets some of them, and is then killed without a chance to clean up. */
async function recordInDyingOwner(pids: readonly number[], forgotten: readonly number[] = []): Promise<void> {
  const registry = join(import.meta.dirname, '../../src/platform/child-registry.ts');
  const script = `
    import { openChildRegistry } from ${JSON.stringify(registry)};
    const registry = await openChildRegistry(${JSON.stringify(directory)});
    for (const pid of ${JSON.stringify(pids)}) registry.add(pid, 'child');
    for (const pid of ${JSON.stringify(forgotten)}) registry.remove(pid);
    process.kill(process.pid, 'SIGKILL');`;
  const owner = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'inherit' });
  const [, signal] = await once(owner, 'exit');
  assert.equal(signal, 'SIGKILL');
}

/** The file of a killed process whose children keep running, because their watchdog was killed too. */
async function leaveFileOf(child: ProcessIdentity): Promise<string> {
  await recordInDyingOwner([]);
  const [name = ''] = files();
  const path = join(directory, 'run', name);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), children: [child] }));
  return name;
}

function identityOf(pid: number): ProcessIdentity {
  const identity = identifyProcess(pid);
  assert.ok(identity);
  return identity;
}

const files = () => readdirSync(join(directory, 'run'));
const isAlive = (pid: number) => identifyProcess(pid) !== null;

test('children of a killed process are ended with it, including their groups', async () => {
  const [leader, member] = await startGroup();
  const [forgotten] = await startGroup();
  await recordInDyingOwner([forgotten, leader], [forgotten]);
  await until(() => !isAlive(leader) && !isAlive(member));
  assert.ok(isAlive(forgotten), 'forgotten processes are not touched');
});

test('children that outlive a killed process are ended at the next start, including their groups', async () => {
  const [leader, member] = await startGroup();
  await leaveFileOf(identityOf(leader));

  const registry = await openChildRegistry(directory);
  await until(() => !isAlive(leader) && !isAlive(member));
  assert.equal(files().length, 1, 'only the file of this process is left');
  await registry.close();
  assert.deepEqual(files(), []);
});

const skip = process.getuid?.() !== 0;
test('as root, no process is ended that another user has recorded', { skip }, async () => {
  const [leader] = await startGroup();
  const entry = await leaveFileOf(identityOf(leader));
  chownSync(join(directory, 'run', entry), 65_534, 65_534);
  const registry = await openChildRegistry(directory);
  await registry.close();
  assert.ok(isAlive(leader));
  assert.deepEqual(files(), [entry]);
});

test('as root, a symbolic link in place of the file is not followed', { skip }, async () => {
  const victim = join(directory, 'victim');
  writeFileSync(victim, 'kept');
  const registry = await openChildRegistry(directory);
  const [own = ''] = files();
  symlinkSync(victim, join(directory, 'run', `${own}.new`));
  const [leader] = await startGroup();
  registry.add(leader, 'child');
  assert.equal(readFileSync(victim, 'utf8'), 'kept');
  assert.match(readFileSync(join(directory, 'run', own), 'utf8'), new RegExp(`"pid":${leader}`));
  registry.remove(leader);
  await registry.close();
});

test('children of a living process are not touched', async () => {
  const [leader] = await startGroup();
  const first = await openChildRegistry(directory);
  first.add(leader, 'child');
  const second = await openChildRegistry(directory);
  assert.ok(isAlive(leader));
  assert.equal(files().length, 2);

  first.remove(leader);
  await first.close();
  await second.close();
  assert.ok(isAlive(leader));
  assert.deepEqual(files(), []);
});

test('a process that reuses the pid of an ended child is not touched', async () => {
  const [leader] = await startGroup();
  const name = await leaveFileOf({ ...identityOf(leader), startTime: '1' });

  const registry = await openChildRegistry(directory);
  assert.deepEqual(files().includes(name), false);
  assert.ok(isAlive(leader));
  await registry.close();
});

test("a child removed from the list before the owner's death is not touched", async () => {
  const [kept] = await startGroup();
  const registry = await openChildRegistry(directory);
  registry.add(kept, 'child');
  registry.remove(kept);
  const [name = ''] = files();
  assert.deepEqual(JSON.parse(readFileSync(join(directory, 'run', name), 'utf8')).children, []);
  await registry.close();
});

test('a child still running at close stays recorded', async () => {
  const [leader] = await startGroup();
  const registry = await openChildRegistry(directory);
  registry.add(leader, 'child');
  await registry.close();
  assert.equal(files().length, 1);
});

test('an unreadable file is removed and does no harm', async () => {
  const first = await openChildRegistry(directory);
  writeFileSync(join(directory, 'run', '1-cut-off.json'), '{"owner":');
  const second = await openChildRegistry(directory);
  assert.equal(files().length, 2);
  await first.close();
  await second.close();
});

test('an unwritable directory is reported with a remedy', async () => {
  writeFileSync(join(directory, 'run'), 'a file in the way');
  await assert.rejects(openChildRegistry(directory), {
    code: 'data_directory_unusable',
    message: /SITEWARDEN_DATA_DIR/,
  });
});

test('a zombie process does not count as running', async () => {
  // The shell starts a child and then becomes a program that does not know about it.
  const child = spawn('/bin/sh', ['-c', 'sleep 300 & echo $!; exec sleep 300'], { detached: true });
  started.push(child);
  const [line] = await once(child.stdout, 'data');
  const remains = identifyProcess(Number(line));
  assert.ok(remains !== null && isRunning(remains));
  process.kill(remains.pid, 'SIGKILL');
  await until(() => !isRunning(remains));
  assert.equal(process.kill(remains.pid, 0), true, 'its pid is still taken');
});
