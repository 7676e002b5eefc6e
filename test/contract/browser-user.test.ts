import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { canEnter, unprivilegedUser } from '../../src/browser/browser-user.ts';
import { groupMembers } from '../../src/browser/chromium-process.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { recordChildren, testPool } from '../helpers/browser.ts';
import { patienceMs } from '../helpers/patience.ts';

/** The user that the browser runs as, without privileges, regardless of the user of the service. */

const isRoot = process.getuid?.() === 0;
const skip = process.platform !== 'linux';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sitewarden-user-'));
});
after(() => rm(directory, { recursive: true, force: true }));

interface Credentials {
  readonly uids: readonly number[];
  readonly groups: string;
  readonly capabilities: bigint;
  /** Whether its privileges, if any, apply outside its own namespace. */
  readonly isInOurNamespace: boolean;
}

async function credentialsOf(pid: number): Promise<Credentials> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): string => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    uids: field('Uid').split('\t').map(Number),
    groups: field('Groups').trim(),
    capabilities: BigInt(`0x${field('CapEff')}`) | BigInt(`0x${field('CapPrm')}`) | BigInt(`0x${field('CapAmb')}`),
    isInOurNamespace: (await readlink(`/proc/${pid}/ns/user`)) === (await readlink('/proc/self/ns/user')),
  };
}

describe('the browser', { skip }, () => {
  it('runs as a user other than root, without privileges, and shows pages', async () => {
    const children = recordChildren();
    const profilesDirectory = join(directory, 'profiles');
    await chmod(directory, 0o755);
    const pool = testPool({ children, profilesDirectory });
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const request = {
        purpose: 'check',
        viewport: DEFAULT_VIEWPORT,
        cacheGroup: 'g',
        timeLimitMs: patienceMs,
        signal,
      } as const;
      const title = await pool.withPage(request, async ({ page }) => {
        await page.goto('data:text/html,<title>shown</title>');
        return page.title();
      });
      assert.equal(title, 'shown');
      const members = groupMembers(children.started[0] ?? 0);
      assert.ok(members.some(({ isRenderer }) => isRenderer));
      const uid = pool.containment()?.uid ?? process.getuid?.();
      assert.notEqual(uid, 0);
      for (const { pid } of members) {
        const { uids, groups, capabilities, isInOurNamespace } = await credentialsOf(pid);
        assert.deepEqual(new Set(uids), new Set([uid]));
        if (isInOurNamespace) assert.equal(capabilities, 0n);
        if (isRoot) assert.equal(groups, '');
      }
      const [profile = ''] = await readdir(profilesDirectory);
      const { uid: owner, mode } = await lstat(join(profilesDirectory, profile));
      assert.deepEqual([owner, mode & 0o777], [uid, 0o700]);
    } finally {
      await pool.stop();
    }
    assert.deepEqual(await readdir(profilesDirectory), [], 'its folder is removed');
    assert.equal(children.present.size, 0);
  });
});

describe('the user of the browser', { skip: skip || !isRoot }, () => {
  it('belongs to no account', async () => {
    const user = await unprivilegedUser();
    assert.ok(user !== null && user.uid > 0);
    const accounts = await readFile('/etc/passwd', 'utf8');
    assert.ok(!accounts.split('\n').some((line) => Number(line.split(':')[2]) === user.uid));
  });

  it('can enter folders created or opened for it, and none that is closed to others', async () => {
    const user = await unprivilegedUser();
    assert.ok(user);
    const closed = join(directory, 'closed');
    await mkdir(closed, { mode: 0o700 });
    assert.equal(await canEnter(user, join(closed, 'within')), false);
    const link = join(directory, 'link');
    await symlink(closed, link);
    assert.equal(await canEnter(user, link), false, 'nothing is opened through a link');
    assert.equal(await canEnter(user, join(directory, 'made', 'for', 'it')), true);
    assert.equal(await canEnter(user, closed), true, 'it is opened where it is meant for the browser');
  });
});
