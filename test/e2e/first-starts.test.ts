import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createInstallation, type Serving } from '../helpers/command-line.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { until } from '../helpers/until.ts';
import { PASSWORD } from '../helpers/visitor.ts';

/** Services that start for the first time at the same moment: every link that they print works. */

const SETTINGS = { SITEWARDEN_LOG_LEVEL: 'error', ...(await sharedValidator()) };
const TIMEOUT = { timeout: 240_000 };
const OWNER = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };

/** Returns the secret of the link that a service prints. */
async function secretOf(service: Serving): Promise<string> {
  const secret = (): string | undefined => /\/welcome\/(\S+) \(/.exec(service.stdout())?.[1];
  await until(() => secret() !== undefined);
  return secret() ?? '';
}

/** Uses the links that services print: each works at each service, until one is used. */
async function assertLinksWork(services: readonly Serving[]): Promise<void> {
  const secrets = await Promise.all(services.map(secretOf));
  const open = () =>
    Promise.all(
      services.flatMap(({ origin }) =>
        secrets.map(async (secret) => (await fetch(`${origin}/auth/welcome/${secret}`)).status),
      ),
    );
  assert.deepEqual(await open(), Array(4).fill(200));
  assert.equal(new Set(secrets).size, 1, 'one link is valid');
  const [service] = services;
  const used = await fetch(`${service?.origin}/auth/welcome/${secrets[1]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `${service?.origin}` },
    body: JSON.stringify(OWNER),
  });
  assert.equal(used.status, 200);
  assert.deepEqual(await open(), Array(4).fill(404));
}

test('two services on one database print the same link', TIMEOUT, async (t) => {
  const database = await createTestDatabase();
  const common = {
    ...SETTINGS,
    DATABASE_URL: database.connectionString,
    SITEWARDEN_SECRET_KEY: randomBytes(32).toString('hex'),
  };
  const installations = [createInstallation(common), createInstallation(common)];
  t.after(async () => {
    for (const installation of installations) installation.remove();
    await database.drop();
  });
  await assertLinksWork(await Promise.all(installations.map((installation) => installation.serve())));
});

test('two services in one data directory print the same link', TIMEOUT, async (t) => {
  const installation = createInstallation(SETTINGS);
  t.after(() => installation.remove());
  await assertLinksWork(await Promise.all([installation.serve(), installation.serve()]));
});
