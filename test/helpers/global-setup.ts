import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { announceTestCluster, joinTestCluster, withdrawTestCluster } from './test-cluster.ts';

/** What the test runner does once before all test files and once after them. */

let postgres: EmbeddedPostgres | undefined;

export async function globalSetup(): Promise<void> {
  postgres = await joinTestCluster();
  await dropLeftovers(postgres.connectionString);
  announceTestCluster(postgres.connectionString);
}

export async function globalTeardown(): Promise<void> {
  withdrawTestCluster();
  await postgres?.stop();
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
