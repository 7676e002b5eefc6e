import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { isPassing } from './database-errors.ts';
import { databaseConnectTimeoutMs, databaseLastClientsMs, databasePollMs } from './limits.ts';

/**
 * A process's lease of a server that several processes use: a shared advisory lock on a dedicated connection. The server releases it
 * when the process dies in any way.
 */
export interface PostgresLease {
  /**
   * Ends the lease. Returns true if it was the last one and no other client is connected; then new leases wait until the server
   * stops or `close` is called.
   */
  giveUp(): Promise<boolean>;
  /** Ends the connection. Never rejects. */
  close(): Promise<void>;
}

/** The only advisory lock in the `postgres` database. */
const LEASE_KEY = 7_483_920_157;

/**
 * Takes a lease. Waits while another process determines whether its lease was the last. Returns null if the server is starting,
 * stopping or gone; try again then.
 * @param onLost called when the connection of the lease breaks without `close`, such as when the server is killed
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
  // The lease must not keep the process alive.
  socket.unref();
  isHeld = true;

  return {
    close,
    async giveUp() {
      if (!isHeld) return false;
      // From here on the server may end.
      isHeld = false;
      socket.ref();
      await client.query('SELECT pg_advisory_unlock_shared($1)', [LEASE_KEY]);
      const lock = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LEASE_KEY]);
      return lock.rows[0]?.taken === true && (await isAlone(client));
    },
  };
}

/** Returns whether no other client is connected. Waits shortly for connections that were just closed. */
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
