import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readLoginFile } from '../../src/commands/login-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
after(() => rmSync(directory, { recursive: true }));
const read = (text: string) => {
  const path = join(directory, 'login.yaml');
  writeFileSync(path, text);
  return readLoginFile(path, (name) => (name === 'SHOP_PASSWORD' ? 'open-sesame' : undefined));
};

test('a login file names environment variables in place of secrets', async () => {
  const login = await read(
    'steps:\n  - open: https://example.com/\n  - fill: "#p"\n    secret_env: SHOP_PASSWORD\nsigned_in:\n  text: Hello\n',
  );
  assert.deepEqual(login, {
    steps: [{ open: 'https://example.com/' }, { fill: '#p', secret: 'open-sesame' }],
    signed_in: { text: 'Hello' },
  });
  await assert.rejects(
    read('steps: [{fill: "#p", totp_env: SHOP_KEY}]'),
    /step 1: the environment variable SHOP_KEY is not set/,
  );
  await assert.rejects(read('steps: ['), /login\.yaml is not valid: line 1: /);
  await assert.rejects(read('[]'), /has no steps/);
});
