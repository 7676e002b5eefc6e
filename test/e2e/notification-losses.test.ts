import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createInstallation, type Installation, kill, type Running } from '../helpers/command-line.ts';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { type OwnPostgres, startOwnPostgres } from '../helpers/own-postgres.ts';
import { randomFrom, TEST_SEED } from '../helpers/random.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Each event reaches each channel, even if processes and the database end: real processes, a webhook and an email. */

let installation: Installation;
let database: OwnPostgres;
let receiver: Receiver;
let mailServer: MailServer;
let site: TestSite;
let settings: Readonly<Record<string, string>>;
let api = '';

before(async () => {
  installation = createInstallation();
  [database, receiver, mailServer, site] = await Promise.all([
    startOwnPostgres(),
    startReceiver(),
    startMailServer(),
    startTestSite({ '/': '<!doctype html><html lang="en"><title>Page</title><h1>Page</h1></html>' }),
  ]);
  settings = {
    ...(await sharedValidator()),
    // Nothing is checked in a browser, which takes each process half a second to start.
    SITEWARDEN_CHROMIUM: '/nonexistent',
    DATABASE_URL: database.connectionString,
    SITEWARDEN_SECRET_KEY: createHash('sha256').digest('hex'),
    SITEWARDEN_BASE_URL: 'https://checks.example.com',
    SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
    SITEWARDEN_SMTP_URL: mailServer.url,
    SITEWARDEN_MAIL_FROM: 'checks@example.com',
  };
  await serve();
  const events = ['report.finished'];
  await ask('/notification_channels', 'POST', { kind: 'webhook', webhook_url: `${receiver.origin}/in`, events });
  const { email } = (await ask('/account')).data.attributes;
  await ask('/notification_channels', 'POST', { kind: 'email', email, events });
});
after(async () => {
  installation?.remove();
  await Promise.all([database?.close(), receiver?.stop(), mailServer?.stop(), site?.stop()]);
});
beforeEach(async () => {
  await database.db.deleteFrom('notification_deliveries').execute();
  receiver.received.length = 0;
  mailServer.emails.length = 0;
});

const running: Running[] = [];

async function serve(): Promise<Running> {
  const service = await installation.serve({ env: settings, nodeArgs: [] });
  api = `${service.origin}/api/v1`;
  running.push(service);
  return service;
}

function work(changes: Readonly<Record<string, string>> = {}): Running {
  const worker = installation.start(['work'], { env: { ...settings, ...changes }, nodeArgs: [] });
  running.push(worker);
  return worker;
}

async function killAll(): Promise<void> {
  for (const { pid, ended } of running.splice(0)) {
    kill(pid);
    await ended;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
async function ask(path: string, method = 'GET', attributes?: object): Promise<any> {
  const response = await fetch(`${api}${path}`, {
    method,
    // A kept connection may end while the request is sent.
    headers: {
      authorization: `Bearer ${installation.adminToken}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    ...(attributes !== undefined && { body: JSON.stringify({ data: { attributes } }) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const report = (): Promise<unknown> =>
  ask('/reports', 'POST', { starting_url: `${site.origin}/`, perform_a11y_checks: false });

/** As if the time had passed after which attempts count as lost, or the pause between two. */
const hurry = () =>
  database.db
    .updateTable('notification_deliveries')
    .set({ next_attempt_at: new Date(0) })
    .where('status', '=', 'pending')
    .execute();

const deliveries = () => database.db.selectFrom('notification_deliveries').selectAll().orderBy('id').execute();
const areDelivered = async (): Promise<boolean> => (await deliveries()).every(({ status }) => status === 'delivered');

/** What was received, by the id of the message: each time the same. */
function received(): Map<string, number> {
  const emails = mailServer.emails.map(({ mail }) => ({
    id: /<([^@]+)@/.exec(mail.messageId ?? '')?.[1] ?? '',
    content: `${mail.subject} ${mail.text}`,
  }));
  const posts = receiver.received.map(({ headers, text }) => ({ id: String(headers['webhook-id']), content: text }));
  const byId = Map.groupBy([...emails, ...posts], ({ id }) => id);
  return new Map(
    Array.from(byId, ([id, of]) => {
      assert.equal(new Set(of.map(({ content }) => content)).size, 1, 'each attempt says the same');
      return [id, of.length];
    }),
  );
}

test('attempts that a kill interrupts are repeated with the same ids, even by workers alone', async () => {
  receiver.behaviour.isSilent = true;
  mailServer.isSilent = true;
  await report();
  await until(() => received().size === 2);
  await killAll();
  await receiver.answer();
  mailServer.isSilent = false;
  // Without a mail server, it leaves the email to the other process.
  work({ SITEWARDEN_SMTP_URL: '', SITEWARDEN_MAIL_FROM: '' });
  await hurry();
  await until(() => receiver.received.length === 2);
  work();
  await until(areDelivered);
  assert.deepEqual(received(), new Map((await deliveries()).map(({ id }) => [id, 2])));
  await killAll();
});

test('deliveries while the database is unavailable are recorded when it is back, and not repeated', async () => {
  await serve();
  receiver.behaviour.isSilent = true;
  await report();
  await until(() => receiver.received.length === 1 && mailServer.emails.length === 1);
  await until(async () => (await deliveries()).filter(({ status }) => status === 'delivered').length === 1);
  await database.stop();
  await receiver.answer();
  await database.start();
  await until(areDelivered);
  assert.deepEqual(received(), new Map((await deliveries()).map(({ id }) => [id, 1])));
});

test('each report reaches each channel, regardless of what ends when', async () => {
  const random = randomFrom(TEST_SEED);
  const reports = 2;
  for (let number = 1; number <= reports; number += 1) {
    await until(() =>
      report().then(
        () => true,
        () => false,
      ),
    );
    await delay(random() * 1_500);
    if (number === 1) {
      await killAll();
      await serve();
    } else {
      await database.stop();
      await delay(random() * 1_000);
      await database.start();
    }
  }
  const all = async () => (await deliveries()).length === 2 * reports && (await areDelivered());
  await until(
    async () => {
      await hurry();
      return all();
    },
    { timeoutMs: 400_000, pollMs: 1_000 },
  );
  const ids = (await deliveries()).map(({ id }) => id);
  assert.deepEqual([...received().keys()].sort(), ids.sort(), `seed ${TEST_SEED}`);
  await killAll();
});
