import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { runSql } from './database.ts';
import { announceTestCluster, joinTestCluster, withdrawTestCluster } from './test-cluster.ts';

/** What the test runner does once before all test files and once after them. */

const templateName = `test_${process.pid}_template`;
let postgres: EmbeddedPostgres | undefined;

export async function globalSetup(): Promise<void> {
  postgres = await joinTestCluster();
  const { connectionString } = postgres;
  await dropLeftovers(connectionString);
  announceTestCluster({ connectionString, template: await makeTemplate(connectionString) });
}

export async function globalTeardown(): Promise<void> {
  withdrawTestCluster();
  if (postgres !== undefined) await runSql(postgres.connectionString, `DROP DATABASE IF EXISTS ${templateName}`);
  await postgres?.stop();
}

/** Migrates once for all test files. */
async function makeTemplate(connectionString: string): Promise<string> {
  await runSql(connectionString, `CREATE DATABASE ${templateName}`);
  const url = new URL(connectionString);
  url.pathname = templateName;
  const { db, close } = openDatabase(url.href, () => undefined);
  try {
    await migrate(db);
  } finally {
    await close();
  }
  return templateName;
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
