import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { createVnuServer, type VnuServer } from '../../src/checks/html/vnu-server.ts';
import { openChildRegistry } from '../../src/platform/child-registry.ts';
import { messageOf } from '../../src/platform/errors.ts';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { browserCache, quietLog } from './browser.ts';
import { migrateDatabase, runSql } from './database.ts';
import { announceSharedParts, joinTestCluster, testDataDirectory } from './shared-parts.ts';

/** Runs once before all test files and once after them. */

const templateName = `test_${process.pid}_template`;
/** Stops what was started, in reverse order. */
const ends: (() => unknown)[] = [];

export async function globalSetup(): Promise<void> {
  await requireBrowser();
  const postgres = await joinTestCluster();
  ends.push(() => postgres.stop());
  const { connectionString } = postgres;
  await shortenHandshake(connectionString);
  await dropLeftovers(connectionString);
  const template = await makeTemplate(connectionString);
  announceSharedParts({ connectionString, template, validatorDesk: await openValidatorDesk() });
}

export async function globalTeardown(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

/** Ends a run without a working browser, in which each test of a page would wait for one and fail. */
async function requireBrowser(): Promise<void> {
  try {
    await findChromium({ executable: null, cacheDirectory: browserCache });
  } catch (error) {
    process.stderr.write(`The tests need a browser. ${messageOf(error)}\n`);
    process.exit(1);
  }
}

/** Passwords are hashed in thousands of rounds: a millisecond for each connection, of which tests open thousands. */
async function shortenHandshake(connectionString: string): Promise<void> {
  const { username, password } = new URL(connectionString);
  await runSql(connectionString, `SET scram_iterations = 1; ALTER ROLE ${username} PASSWORD '${password}'`);
}

/** Migrates once for all test files. */
async function makeTemplate(connectionString: string): Promise<string> {
  await runSql(connectionString, `CREATE DATABASE ${templateName}`);
  ends.push(() => runSql(connectionString, `DROP DATABASE IF EXISTS ${templateName}`));
  const url = new URL(connectionString);
  url.pathname = templateName;
  await migrateDatabase(url.href);
  return templateName;
}

/** Java takes seconds to warm up and is often not required: it starts when the first test requests it. */
async function openValidatorDesk(): Promise<string> {
  let validator: Promise<VnuServer> | undefined;
  const start = async (): Promise<VnuServer> => {
    const children = await openChildRegistry(testDataDirectory);
    ends.push(() => children.close());
    const server = createVnuServer({ children, logger: quietLog });
    ends.push(() => server.stop());
    await server.start();
    return server;
  };
  const desk = createServer((_request, response) => {
    validator ??= start();
    validator.then(
      (server) => response.end(`http://127.0.0.1:${server.current()?.port}`),
      (error: unknown) => {
        validator = undefined;
        response.writeHead(500).end(String(error));
      },
    );
  });
  ends.push(() => desk.close().closeAllConnections());
  desk.listen(0, '127.0.0.1').unref();
  await once(desk, 'listening');
  const { port }: Pick<AddressInfo, 'port'> = Object(desk.address());
  return `http://127.0.0.1:${port}/`;
}

/** Databases of test files that were killed. The name holds the pid; others may be in use by a test running elsewhere. */
async function dropLeftovers(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const databases = await client.query<{ name: string; pid: string }>(
      `SELECT datname AS name, split_part(datname, '_', 2) AS pid FROM pg_database WHERE datname LIKE 'test\\_%'`,
    );
    const leftovers = databases.rows.filter(({ pid }) => identifyProcess(Number(pid)) === null);
    for (const { name } of leftovers) await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
