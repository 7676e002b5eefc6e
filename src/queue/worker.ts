import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { createOutage } from '../platform/outage.ts';
import { connectPatiently } from '../store/connect-patiently.ts';
import type { Executor } from '../store/database.ts';
import { living, recordLostWorkers, recordWorker, removeWorker, type WorkerProcess } from '../store/living-workers.ts';
import { announcedIds, CHANGES_CHANNEL } from '../store/reports/change-announcements.ts';
import { WORK_CHANNEL, type WorkTopic } from '../store/work-topics.ts';
import { forgetLostHosts } from './host-claims.ts';

const RECONNECT_DELAY_MS = 500;
/** After this time, a worker tries again if the server accepts connections but does not respond. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How often the work of dead workers is released. Their locks end immediately, so there is no other delay. */
const SWEEP_INTERVAL_MS = 3_000;
/** If there are no claims, only one in this many sweeps looks for lost processes. */
const IDLE_ROUNDS = 10;
/** After this time without announcements and claims, each topic gets its turn in one of `QUIET_ROUNDS` sweeps. */
const QUIET_AFTER_MS = 60_000;
const QUIET_ROUNDS = 5;

export interface WorkerIntervals {
  readonly sweepMs: number;
  readonly quietAfterMs: number;
}

export interface WorkerOptions extends Partial<WorkerIntervals> {
  /** Recorded for operators, if given. */
  readonly process?: WorkerProcess;
}

export type ChangeListener = (ids: readonly string[] | null) => void;

export interface Worker {
  /** The id with which this process claims work; a new one after each loss of the connection. */
  id(): number;
  /**
   * Calls the listener when there may be work of the topic, and every few seconds in any case, or every 15 seconds if nothing has
   * happened for a while. Returns a function that removes the listener.
   */
  onWork(topic: WorkTopic, listener: () => void): () => void;
  /**
   * Calls the listener with the ids of accounts and reports that were announced as changed, and with null when announcements may
   * have been lost. Returns a function that removes the listener.
   */
  onChanges(listener: ChangeListener): () => void;
  /** Aborted when this membership is lost, together with all its claims; a new signal after each loss. */
  membership(): AbortSignal;
  /**
   * Replaces this membership with a new one, which releases all claims of the old membership, including claims unknown to this
   * process.
   */
  rejoin(): void;
  /** Whether this process can claim work now. */
  isConnected(): boolean;
  close(): Promise<void>;
}

/**
 * Joins the workers of this database. A dedicated connection holds an advisory lock on the worker's id while the process lives,
 * and receives notifications of new work and, for subscribers, of changes.
 */
export async function joinWorkers(
  connectionString: string,
  db: Executor,
  log: Logger,
  { sweepMs = SWEEP_INTERVAL_MS, quietAfterMs = QUIET_AFTER_MS, process: own }: WorkerOptions = {},
): Promise<Worker> {
  const works = new EventEmitter().setMaxListeners(0);
  const changes = new EventEmitter<{ changed: Parameters<ChangeListener> }>().setMaxListeners(0);
  let closed = false;
  let [id, sweeps] = [0, 0];
  let client: pg.Client | null = null;
  let membership = new AbortController();
  let announcedAt = Date.now();
  let isSweeper = false;
  const isAnyClaimed = createClaimLook(db, log);

  const listenForChanges = async (): Promise<void> => {
    // If this fails, the connection is lost, and the next connection listens.
    await client?.query(`LISTEN ${CHANGES_CHANNEL}`).catch(() => undefined);
    changes.emit('changed', null);
  };

  const connect = async (): Promise<void> => {
    const connection = await connectWorker(connectionString, ({ channel, payload = '' }) => {
      if (channel === WORK_CHANNEL) {
        announcedAt = Date.now();
        works.emit(payload);
      } else changes.emit('changed', announcedIds(payload));
    });
    // Only for established connections: the caller repeats failed attempts.
    connection.client.once('end', () => {
      membership.abort(new Error('The connection to the database was lost'));
      if (closed) return;
      log.warn('Lost the connection to the database; work in progress will be repeated');
      void reconnect(Date.now());
    });
    ({ client, id } = connection);
    membership = new AbortController();
    if (own !== undefined && !closed) await record(db, id, own, log);
    isSweeper = false;
    if (closed) await leave();
    else if (changes.listenerCount('changed') > 0) await listenForChanges();
  };

  const leave = async (): Promise<void> => {
    if (own !== undefined) await removeWorker(db, id).catch(() => undefined);
    await client?.end();
  };

  const reconnect = async (lostAt: number): Promise<void> => {
    for (let fault: string | undefined = ''; fault !== undefined; ) {
      await delay(RECONNECT_DELAY_MS);
      if (closed) return;
      fault = await connect().then(() => undefined, messageOf);
      if (fault !== undefined) log.warn({ reason: fault }, 'The database is not responding yet');
    }
    // Announcements may have been lost.
    announcedAt = Date.now();
    log.info({ seconds: Math.round((announcedAt - lostAt) / 1_000) }, 'The database is available again');
    await sweep();
  };

  /** One worker releases the work of dead workers for all: reading the locks of hundreds of connections is expensive. */
  const lookForDeadWorkers = async (): Promise<boolean> => {
    const isBusy = await isAnyClaimed();
    if (!isBusy && sweeps % IDLE_ROUNDS !== IDLE_ROUNDS - 1) return false;
    isSweeper ||= client !== null && (await becomeSweeper(client));
    if (isSweeper) await freeWorkOfDeadWorkers(db);
    return isBusy;
  };

  const sweep = async (): Promise<void> => {
    const isBusy = await lookForDeadWorkers().catch(async (error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'Could not look for the work of dead workers');
      if (isSweeper && client !== null) await resignAsSweeper(client);
      isSweeper = false;
      return true;
    });
    const isQuiet = !isBusy && Date.now() - announcedAt > quietAfterMs;
    sweeps += 1;
    // One after the other, so that one connection is enough.
    const isDue = (index: number): boolean => !isQuiet || index % QUIET_ROUNDS === sweeps % QUIET_ROUNDS;
    for (const [index, topic] of works.eventNames().entries()) if (isDue(index)) works.emit(topic);
  };

  await connect();
  await sweep();
  const timer = repeat(sweep, sweepMs);

  return {
    id: () => id,
    membership: () => membership.signal,
    // The membership ends with the connection.
    rejoin: () => void client?.end().catch(() => undefined),
    isConnected: () => client !== null && !membership.signal.aborted,
    onWork(topic, listener) {
      works.on(topic, listener);
      return () => works.off(topic, listener);
    },
    onChanges(listener) {
      changes.on('changed', listener);
      void listenForChanges();
      return () => changes.off('changed', listener);
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await leave();
    },
  };
}

/** Does some work regularly, unless the previous run is still going on. @param work never rejects */
function repeat(work: () => Promise<void>, ms: number): NodeJS.Timeout {
  let isRunning = false;
  return setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    void work().finally(() => {
      isRunning = false;
    });
  }, ms);
}

/** Never rejects: a process can work without this record. */
async function record(db: Executor, id: number, own: WorkerProcess, log: Logger): Promise<void> {
  await recordWorker(db, id, own).catch((error: unknown) => {
    log.warn({ reason: messageOf(error) }, 'Could not record this process for operators');
  });
}

interface WorkerConnection {
  readonly client: pg.Client;
  readonly id: number;
}

type NotificationListener = (notification: pg.Notification) => void;

/** Connects with a new worker id, locks it, and listens for new work. */
function connectWorker(connectionString: string, onNotification: NotificationListener): Promise<WorkerConnection> {
  return connectPatiently(() => tryToConnect(connectionString, onNotification));
}

async function tryToConnect(connectionString: string, onNotification: NotificationListener): Promise<WorkerConnection> {
  const client = new pg.Client({
    connectionString,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'sitewarden worker',
  });
  client.on('error', () => undefined);
  client.on('notification', onNotification);
  try {
    await client.connect();
    const { rows } = await client.query<{ id: number }>("SELECT nextval('worker_ids')::integer AS id");
    const id = rows[0]?.id ?? 0;
    await client.query('SELECT pg_advisory_lock($1, $2)', [ADVISORY_LOCKS.worker, id]);
    await client.query(`LISTEN ${WORK_CHANNEL}`);
    return { client, id };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** @returns whether this worker is the sweeper from now on; false while another worker is */
async function becomeSweeper(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>('SELECT pg_try_advisory_lock($1) AS is', [
    ADVISORY_LOCKS.sweeper,
  ]);
  return rows[0]?.is === true;
}

/** Never rejects: the lock also ends with the connection. */
async function resignAsSweeper(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.sweeper]).catch(() => undefined);
}

/**
 * Returns a function that says whether there are any claims, of living or dead workers. It also logs when the database becomes
 * read-only, and when it no longer is: the work itself only warns that it waits.
 */
function createClaimLook(db: Executor, log: Logger): () => Promise<boolean> {
  const outage = createOutage(log, 'The database is available again');
  return async () => {
    const { rows } = await sql<{ isAny: boolean; isReadOnly: boolean }>`
      SELECT EXISTS (SELECT FROM checks WHERE claimed_by IS NOT NULL)
        OR EXISTS (SELECT FROM reports WHERE crawled_by IS NOT NULL)
        OR EXISTS (SELECT FROM host_claims) AS "isAny", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`.execute(
      db,
    );
    const { isAny = false, isReadOnly = false } = rows[0] ?? {};
    if (!isReadOnly) outage.end();
    else if (outage.begin()) log.warn('The database is read-only');
    return isAny;
  };
}

/** Releases the claims of workers that no longer hold their lock. Skips locked rows until the next time, to avoid deadlocks. */
export async function freeWorkOfDeadWorkers(db: Executor): Promise<void> {
  await sql`
    WITH dead AS (
      SELECT web_page_id, kind FROM checks WHERE claimed_by IS NOT NULL AND claimed_by NOT IN (${living})
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE checks c SET claimed_by = NULL, claim_id = NULL
    FROM dead WHERE c.web_page_id = dead.web_page_id AND c.kind = dead.kind`.execute(db);
  await sql`
    WITH dead AS (
      SELECT id FROM reports WHERE crawled_by IS NOT NULL AND crawled_by NOT IN (${living})
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE reports r SET crawled_by = NULL, crawl_claim_id = NULL FROM dead WHERE r.id = dead.id`.execute(db);
  await forgetLostHosts(db);
  await recordLostWorkers(db);
}
