import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { isPassing } from './database-errors.ts';
import { databaseConnectTimeoutMs, databaseLastClientsMs, databasePollMs } from './limits.ts';

/**
 * A process's share in a server that several processes use. It is a shared advisory lock on a connection held for as
 * long: the server itself releases it when the process dies, however it dies.
 */
export interface PostgresLease {
  /**
   * Gives up the share and tells whether it was the last and nobody else is connected. If so, newcomers wait from now on
   * until the server stops or `close` is called.
   */
  giveUp(): Promise<boolean>;
  /** Ends the connection. Never rejects. */
  close(): Promise<void>;
}

/** Any number that no other advisory lock in the `postgres` database uses. */
const LEASE_KEY = 7_483_920_157;

/**
 * Takes a share, waiting while another process decides whether it was the last. Null when the server is just starting,
 * stopping or gone; the caller looks again then.
 * @param onLost called when the connection of a share breaks without `close`, as when the server is killed
 */
export async function takePostgresLease(connectionString: string, onLost: () => void): Promise<PostgresLease | null> {
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
    await client.query('SELECT pg_advisory_lock_shared($1)', [LEASE_KEY]);
  } catch (error) {
    await close();
    if (isPassing(error)) return null;
    throw error;
  }
  // The lease alone must not keep a process from ending.
  socket.unref();
  isHeld = true;

  return {
    close,
    async giveUp() {
      if (!isHeld) return false;
      // From here on the server may well go away: that is what is wanted.
      isHeld = false;
      socket.ref();
      await client.query('SELECT pg_advisory_unlock_shared($1)', [LEASE_KEY]);
      const lock = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LEASE_KEY]);
      return lock.rows[0]?.taken === true && (await isAlone(client));
    },
  };
}

/** Waits a little for connections that were closed a moment ago. */
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
