import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../src/platform/errors.ts';
import {
  findServer,
  openPostgresCluster,
  POSTGRES_ROLE,
  type PostgresSettings,
  startServer,
  stopServer,
} from '../../src/platform/postgres-cluster.ts';
import { openStoreIn, type TestStore } from './crawler.ts';
import { runSql } from './database.ts';
import { until } from './until.ts';

/** A server for one test, at the current schema, that can be stopped and restarted. */
export interface OwnPostgres extends TestStore {
  /** Refuses all writes, like a server that is no longer the primary: from then on, in every connection. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Stops the server as an operator does: connections are cut, transactions rolled back. */
  stop(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
}

/**
 * @param settings of the server, in addition to the settings of the embedded one
 * @param directory an empty one; removed with the server. Default: a new one
 */
export async function startOwnPostgres(
  settings: PostgresSettings = {},
  directory: string = mkdtempSync(join(tmpdir(), 'sitewarden-test-')),
): Promise<OwnPostgres> {
  // If the tests run as root, the server runs as another user, who must be able to enter the folder.
  chmodSync(directory, 0o755);
  const cluster = await openPostgresCluster(join(directory, 'postgres'));
  const start = async (): Promise<void> => {
    let passingReason: string | null = '';
    // Another process may just have taken the port.
    await until(async () => {
      passingReason = await startServer(cluster, { fsync: 'off', ...settings });
      return passingReason === null;
    }).catch((cause: unknown) => assert.fail(`${messageOf(cause)}: ${passingReason}`));
  };
  const stop = (): Promise<void> => until(() => stopServer(cluster, 8));
  await start();
  const port = await findServer(cluster);
  const connectionString = `postgres://${POSTGRES_ROLE}:${cluster.password}@127.0.0.1:${port}/postgres`;
  const store = await openStoreIn(connectionString, async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    ...store,
    start,
    stop,
    async setReadOnly(isReadOnly) {
      await runSql(connectionString, `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly}`);
      await runSql(connectionString, 'SELECT pg_reload_conf()');
      // The server reads its settings after it has responded. Once a new connection has them, so do the open ones.
      await until(async () => {
        const [shown] = await runSql(connectionString, 'SHOW default_transaction_read_only');
        return shown?.['default_transaction_read_only'] === (isReadOnly ? 'on' : 'off');
      });
    },
  };
}
