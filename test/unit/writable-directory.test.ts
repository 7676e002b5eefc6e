import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepOutOfGit } from '../../src/platform/writable-directory.ts';

test('Git is made to ignore an empty directory, and none that has something in it', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sitewarden-ignored-'));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'index.html'), '');
  await keepOutOfGit(directory);
  assert.deepEqual(readdirSync(directory), ['index.html']);
  rmSync(join(directory, 'index.html'));
  await keepOutOfGit(directory);
  assert.deepEqual(readdirSync(directory), ['.gitignore']);
});
