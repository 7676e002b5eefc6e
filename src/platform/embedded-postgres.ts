import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { isTransient } from './database-errors.ts';
import { AppError, messageOf } from './errors.ts';
import {
  databaseConnectTimeoutMs,
  databaseLastClientsMs,
  databasePollMs,
  databaseRecoveriesMax,
  databaseRecoveryWindowMs,
  databaseStartRetryMs,
  databaseStartTimeoutSeconds,
  databaseStopTimeoutMs,
} from './limits.ts';
import type { Logger } from './logger.ts';
import {
  failedToStart,
  findServer,
  openPostgresCluster,
  POSTGRES_ROLE,
  type PostgresCluster,
  type PostgresSettings,
  startServer,
  stopServer,
} from './postgres-cluster.ts';

export interface EmbeddedPostgresOptions {
  /** A directory for the database alone; created if it does not exist. */
  readonly directory: string;
  readonly log: Logger;
  /** Override the default settings of the server. A server that is already running keeps its settings. */
  readonly settings?: PostgresSettings;
  /** Called before the server starts, but only if it is not running yet: in that case, no other process uses it. */
  readonly onFirst?: () => void;
  /** Called when the server has ended and cannot be started again at the same address. */
  readonly onLost?: (error: AppError) => void;
}

export interface EmbeddedPostgres {
  /** Connects as superuser to the empty database `postgres` on 127.0.0.1. */
  readonly connectionString: string;
  /**
   * Stops the server unless other processes use it. Close your connections first: a server with other clients keeps running.
   * Idempotent, never rejects.
   */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL 18 on files in `directory`, created on first use. If a server is already running on them, started by another
 * process or left by a killed process, uses that server. Starts the server again when it ends.
 * @throws AppError database_failed_to_start, data_directory_unusable
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { directory, log, settings = {}, onFirst, onLost = () => undefined } = options;
  const cluster = await openPostgresCluster(directory);
  const join = (onStart?: () => void): Promise<Membership> => joinServer(cluster, settings, recover, onStart);
  let recovering = Promise.resolve();
  let recoveries: number[] = [];
  let stopped: Promise<void> | undefined;
  let membership = await join(onFirst);
  const { port } = membership;

  function recover(): void {
    if (stopped !== undefined) return;
    log.error('The embedded database stopped; restarting it');
    recovering = rejoin().then(
      () => log.info('The embedded database is running again'),
      (error: unknown) => onLost(error instanceof AppError ? error : lost(cluster, messageOf(error))),
    );
  }

  async function rejoin(): Promise<void> {
    recoveries = [...recoveries.filter((at) => Date.now() - at < databaseRecoveryWindowMs), Date.now()];
    if (recoveries.length > databaseRecoveriesMax) throw lost(cluster, 'it keeps stopping');
    membership = await join();
    if (membership.port !== port) throw lost(cluster, 'another program uses its port');
  }

  async function leave(): Promise<void> {
    await recovering;
    await endLease(membership.lease, cluster, log);
  }

  return {
    connectionString: connectionString(cluster, port),
    stop() {
      stopped ??= leave();
      return stopped;
    },
  };
}

/** Ends a lease, and stops the server if it was the last lease. Never rejects. */
async function endLease(lease: PostgresLease, cluster: PostgresCluster, log: Logger): Promise<void> {
  const deadline = Date.now() + databaseStopTimeoutMs;
  try {
    const isLast = await lease.giveUp();
    const secondsLeft = Math.max(1, Math.ceil((deadline - Date.now()) / 1_000));
    if (isLast && !(await stopServer(cluster, secondsLeft))) log.warn('The embedded database could not be stopped');
  } catch (error) {
    log.warn(
      { err: error },
      'Could not determine whether other processes use the embedded database, so it keeps running',
    );
  } finally {
    await lease.close();
  }
}

interface Membership {
  readonly port: number;
  readonly lease: PostgresLease;
}

/** Finds or starts the server repeatedly until this process has a lease of a running server. */
async function joinServer(
  cluster: PostgresCluster,
  settings: PostgresSettings,
  onLost: () => void,
  onStart?: () => void,
): Promise<Membership> {
  const startedAt = Date.now();
  while (Date.now() - startedAt < databaseStartTimeoutSeconds * 1_000) {
    const port = await findServer(cluster);
    if (port === null) {
      onStart?.();
      const passingReason = await startServer(cluster, settings);
      if (passingReason === null) continue;
      if (Date.now() - startedAt > databaseStartRetryMs) throw failedToStart(cluster, 'it kept failing', passingReason);
    } else if (port !== 0) {
      const lease = await takePostgresLease(connectionString(cluster, port), onLost).catch((error: unknown) => {
        throw failedToStart(cluster, `the running server rejects this process (${messageOf(error)})`, '');
      });
      if (lease !== null) return { port, lease };
    }
    await delay(databasePollMs);
  }
  throw failedToStart(cluster, `it was not ready after ${databaseStartTimeoutSeconds} s`, '');
}

function lost(cluster: PostgresCluster, reason: string): AppError {
  return new AppError(
    'database_unavailable',
    `The embedded database stopped and cannot be restarted: ${reason}. See its log: ${cluster.logFile}.`,
  );
}

function connectionString({ password }: PostgresCluster, port: number): string {
  return `postgres://${POSTGRES_ROLE}:${password}@127.0.0.1:${port}/postgres`;
}

/**
 * A process's lease of a server that several processes use: a shared advisory lock on a dedicated connection. The server releases
 * it however the process ends.
 */
interface PostgresLease {
  /**
   * Ends the lease. Returns true if it was the last lease and no other client is connected. In this case, new leases wait until
   * the server stops or `close` is called.
   */
  giveUp(): Promise<boolean>;
  /** Ends the connection. Never rejects. */
  close(): Promise<void>;
}

/**
 * Takes a lease. Waits while another process determines whether its lease was the last. Returns null if the server is starting,
 * stopping or gone; try again then.
 * @param onLost called when the connection of the lease breaks without `close`, such as when the server is killed
 */
async function takePostgresLease(connectionString: string, onLost: () => void): Promise<PostgresLease | null> {
  let isHeld = false;
  const socket = new Socket();
  const client = new Client({
    connectionString,
    stream: () => socket,
    application_name: 'sitewarden lease',
    connectionTimeoutMillis: databaseConnectTimeoutMs,
  });
  client.on('error', () => {
    if (isHeld) onLost();
    isHeld = false;
  });
  const close = async (): Promise<void> => {
    isHeld = false;
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [ADVISORY_LOCKS.lease]);
  } catch (error) {
    await close();
    if (isTransient(error)) return null;
    throw error;
  }
  // The lease must not keep the process alive.
  socket.unref();
  isHeld = true;

  return {
    close,
    async giveUp() {
      if (!isHeld) return false;
      // From here on, the server may end.
      isHeld = false;
      socket.ref();
      await client.query('SELECT pg_advisory_unlock_shared($1)', [ADVISORY_LOCKS.lease]);
      const lock = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
        ADVISORY_LOCKS.lease,
      ]);
      return lock.rows[0]?.taken === true && (await isAlone(client));
    },
  };
}

/** Returns whether no other client is connected. Waits briefly for connections that were just closed. */
async function isAlone(client: Client): Promise<boolean> {
  const deadline = Date.now() + databaseLastClientsMs;
  for (;;) {
    const others = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1`,
    );
    if (others.rows.length === 0) return true;
    if (Date.now() > deadline) return false;
    await delay(databasePollMs);
  }
}
