import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AppError } from '../../src/platform/errors.ts';
import { createSecretBox, newSecretKey, SecretFault } from '../../src/platform/secret-box.ts';
import { keptSecretKey } from '../../src/platform/secret-key.ts';

const SECRET = 'correct horse battery staple ü';
const OTHER_KEY = 'A stored secret was encrypted with another key.';
const DAMAGED = 'A stored secret is damaged.';

describe('a secret box', () => {
  const key = newSecretKey();
  const box = createSecretBox(key);
  const faultOf = (sealed: Uint8Array, place = 'report 1', opener = box): string => {
    try {
      return `opened: ${opener.open(sealed, place)}`;
    } catch (error) {
      assert.ok(error instanceof SecretFault);
      assert.ok(!String(error.stack).includes(SECRET));
      return error.message;
    }
  };

  test('decrypts what it encrypted, also after a restart, and reveals nothing', () => {
    const sealed = box.seal(SECRET, 'report 1');
    assert.equal(createSecretBox(Buffer.from(key)).open(sealed, 'report 1'), SECRET);
    assert.equal(box.open(box.seal('', 'report 1'), 'report 1'), '');
    assert.ok(!sealed.includes('battery'));
    assert.ok(!sealed.includes(key.subarray(0, 4)));
  });

  test('never encrypts twice alike', () => {
    assert.notDeepEqual(box.seal(SECRET, 'report 1'), box.seal(SECRET, 'report 1'));
  });

  test('decrypts a value only for its purpose', () => {
    assert.equal(faultOf(box.seal(SECRET, 'report 1'), 'report 2'), DAMAGED);
    assert.equal(faultOf(box.seal(SECRET, 'report 1'), 'schedule 1'), DAMAGED);
  });

  test('distinguishes another key from damage', () => {
    const sealed = box.seal(SECRET, 'report 1');
    assert.equal(faultOf(sealed, 'report 1', createSecretBox(newSecretKey())), OTHER_KEY);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(faultOf(changed), index < box.keyId.length ? OTHER_KEY : DAMAGED, `byte ${index}`);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      assert.doesNotMatch(faultOf(sealed.subarray(0, length)), /^opened/, `${length} bytes`);
    }
  });
});

describe('the key in the data directory', () => {
  const inDirectory = async (use: (directory: string) => Promise<void>): Promise<void> => {
    const directory = await mkdtemp(join(tmpdir(), 'sitewarden-test-'));
    try {
      await use(directory);
    } finally {
      await rm(directory, { recursive: true });
    }
  };

  test('is created once, also by concurrent starts, and stays', () =>
    inDirectory(async (directory) => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => keptSecretKey(directory)));
      assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1);
      assert.deepEqual(await keptSecretKey(directory), keys[0]);
      assert.deepEqual(await readdir(directory), ['secret.key']);
    }));

  test('is readable only by its owner', () =>
    inDirectory(async (directory) => {
      await keptSecretKey(directory);
      assert.equal((await stat(join(directory, 'secret.key'))).mode & 0o777, 0o600);
    }));

  test('is not replaced when it is damaged', () =>
    inDirectory(async (directory) => {
      const path = join(directory, 'secret.key');
      for (const content of ['', 'no key', `${newSecretKey().toString('base64').slice(0, -8)}\n`]) {
        await writeFile(path, content);
        await assert.rejects(keptSecretKey(directory), (error) => {
          assert.ok(error instanceof AppError && error.code === 'secret_key_unusable');
          assert.ok(error.message.includes(path));
          return true;
        });
        assert.equal(await readFile(path, 'utf8'), content);
      }
    }));
});
