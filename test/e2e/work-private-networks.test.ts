import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createInstallation, type Installation } from '../helpers/command-line.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { runHere } from '../helpers/run-here.ts';

// `work` has no address of its own, so its other settings say nothing about who reaches the service.

let installation: Installation;
let database: Awaited<ReturnType<typeof createTestDatabase>>;

before(async () => {
  installation = createInstallation();
  database = await createTestDatabase();
});
after(async () => {
  installation.remove();
  await database.drop();
});

test('work refuses private networks unless they are allowed, and logs why', async () => {
  const settings = { SITEWARDEN_DATA_DIR: installation.dataDir, DATABASE_URL: database.connectionString };
  for (const [env, message, reason] of [
    [
      {},
      'Sites on private networks may not be checked',
      'other machines may reach the service that shares this database',
    ],
    [
      { SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true' },
      'Sites on private networks may be checked',
      'SITEWARDEN_ALLOW_PRIVATE_NETWORKS is set',
    ],
  ] as const) {
    const { status, stderr } = await runHere(['work'], { ...settings, ...env });
    const line = stderr.split('\n').find((text) => text.includes('Sites on private networks'));
    const { msg, reason: logged } = JSON.parse(line ?? '{}');
    assert.deepEqual([status, msg, logged], [0, message, reason], stderr);
    // Nor does it know where messages should lead.
    assert.match(stderr, /This process does not deliver notifications because SITEWARDEN_BASE_URL is not set/);
  }
});
