import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { joinTestCluster, sharedParts } from './shared-parts.ts';

export interface TestDatabase {
  readonly connectionString: string;
  /** Removes the database, cutting connections to it. */
  drop(): Promise<void>;
}

/**
 * A database for one test file, in the cluster of the test run: at the newest schema, with nothing in it. A test file run
 * alone, by `node --test FILE`, starts the cluster itself and stops it with `drop`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const own = sharedParts === null ? await joinTestCluster() : null;
  const cluster = (sharedParts ?? own)?.connectionString ?? '';
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await runSql(cluster, `CREATE DATABASE ${name} TEMPLATE ${sharedParts?.template ?? 'template1'} STRATEGY file_copy`);
  const url = new URL(cluster);
  url.pathname = name;
  if (sharedParts === null) await migrateDatabase(url.href);
  return {
    connectionString: url.href,
    async drop() {
      await runSql(cluster, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await own?.stop();
    },
  };
}

/** Makes the database refuse new reports with an unexpected error. */
export async function refuseReports(connectionString: string): Promise<void> {
  await runSql(
    connectionString,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'nobody expects this'; END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
}

/** Brings a database to the newest schema. */
export async function migrateDatabase(connectionString: string): Promise<void> {
  const { db, close } = openDatabase(connectionString, () => undefined);
  try {
    await migrate(db);
  } finally {
    await close();
  }
}

export async function runSql(connectionString: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}
