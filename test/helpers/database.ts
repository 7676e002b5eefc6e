import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { announcedTestCluster, joinTestCluster } from './test-cluster.ts';

export interface TestDatabase {
  readonly connectionString: string;
  /** Removes the database, cutting connections to it. */
  drop(): Promise<void>;
}

/**
 * An empty database for one test file. It lives in the cluster of the test run; a test file run alone, by
 * `node --test FILE`, starts the cluster itself and stops it with `drop`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const announced = announcedTestCluster();
  const own = announced === null ? await joinTestCluster() : null;
  const cluster = announced ?? own?.connectionString ?? '';
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await runSql(cluster, `CREATE DATABASE ${name} STRATEGY file_copy`);
  const url = new URL(cluster);
  url.pathname = name;
  return {
    connectionString: url.href,
    async drop() {
      await runSql(cluster, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await own?.stop();
    },
  };
}

async function runSql(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
