import { join } from 'node:path';
import { ensureFirstAccount } from './accounts/accounts.ts';
import { ensureAdminToken } from './accounts/tokens.ts';
import type { Config } from './config.ts';
import { type ChildRegistry, openChildRegistry, type StartedChildren } from './platform/child-registry.ts';
import { isDiskFull, isReadOnly } from './platform/database-errors.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './platform/embedded-postgres.ts';
import { AppError, messageOf } from './platform/errors.ts';
import { databaseConnectionsMax, workerConnectionsMax } from './platform/limits.ts';
import type { Logger } from './platform/logger.ts';
import { ensureWritableDirectory, keepOutOfGit } from './platform/writable-directory.ts';
import {
  type Database,
  type DatabaseOptions,
  type DatabaseUse,
  type OpenDatabase,
  openDatabase,
  type PoolUse,
} from './store/database.ts';
import { migrate, requireMigrated } from './store/migrate.ts';
import { flushAnnouncements } from './store/reports/change-announcements.ts';
import { logReportEnds } from './store/reports/ended-report.ts';

/** The data directory of this installation and its database, migrated to the current schema. */
export interface Foundation {
  readonly db: Database;
  /** The same database for work, with separate connections, so that work takes none from requests. */
  readonly workDb: Database;
  /** The same for tasks that can wait, whose statements may take a long time. */
  readonly backgroundDb: Database;
  readonly connectionString: string;
  /** The connections of the databases above. */
  readonly pools: Readonly<Record<string, PoolUse>>;
  readonly children: ChildRegistry & StartedChildren;
  /** Resolves when the embedded database has ended and cannot be started again. */
  readonly lost: Promise<AppError>;
  /** Closes the connections; the last process that uses the embedded database stops it. */
  close(): Promise<void>;
}

/** Processes that this one starts while the embedded database starts, if no other process uses the database. */
export interface EarlyParts {
  /** May be called several times. */
  start(children: ChildRegistry): void;
  /** Ends the processes. Idempotent, even before `start`. */
  stop(): Promise<void>;
}

export interface FoundationOptions {
  /** Stopped with the foundation, even if it cannot be opened. */
  readonly early?: EarlyParts;
  /** Whether the process serves no requests, and has fewer connections. Default: false. */
  readonly isWorker?: boolean;
}

/**
 * Opens the data directory and the database, which every command requires.
 * @throws AppError data_directory_unusable, database_unavailable, database_failed_to_start, migration_failed
 */
export async function openFoundation(
  config: Config,
  log: Logger,
  { early, isWorker = false }: FoundationOptions = {},
): Promise<Foundation> {
  await openDataDirectory(config.dataDir);
  const children = await openChildRegistry(config.dataDir);
  const { promise: lost, resolve: onLost } = Promise.withResolvers<AppError>();
  const onFirst = (): void => early?.start(children);
  const postgres = await openPostgres(config, log, { onFirst, onLost }).catch(async (error: unknown) => {
    await early?.stop();
    await children.close();
    throw error;
  });
  const open = (use: DatabaseUse, limits: DatabaseOptions['limits'] = {}): OpenDatabase =>
    openDatabase(
      postgres.connectionString,
      (error) => log.warn({ reason: messageOf(error) }, 'Lost an idle connection to the database'),
      { use, limits },
    );
  const most = isWorker ? workerConnectionsMax : databaseConnectionsMax;
  const work = open('work', { connectionsMax: most.work });
  const background = open('background', { connectionsMax: most.background });
  const requests = isWorker ? work : open('requests');
  const { db } = requests;
  for (const pool of [requests, work, background]) logReportEnds(pool.db, log);
  const closeAll = async (): Promise<void> => {
    for (const { db: pool, close } of new Set([requests, work, background])) {
      await flushAnnouncements(pool);
      await close();
    }
    await postgres.stop();
    await early?.stop();
    await children.close();
  };
  try {
    await onceOn(open('migration'), (database) => ensureMigrated(database, config, log));
    // Not on the connection of migrations, which waits for a lock forever.
    if (config.adminToken === null) await ensureFirstAccount(db);
    else await ensureAdminToken(db, config.adminToken);
  } catch (error) {
    await closeAll();
    throw error instanceof AppError ? error : databaseUnusable(error);
  }
  return {
    db,
    workDb: work.db,
    backgroundDb: background.db,
    connectionString: postgres.connectionString,
    pools: { ...(!isWorker && { requests: requests.use }), work: work.use, background: background.use },
    children,
    lost,
    close: closeAll,
  };
}

/**
 * Opens the data directory and the database as it is, for a command that migrates.
 * @throws AppError data_directory_unusable, database_unavailable, database_failed_to_start; what `run` throws
 */
export async function withUnmigratedDatabase<Result>(
  config: Config,
  log: Logger,
  run: (db: Database) => Promise<Result>,
): Promise<Result> {
  await openDataDirectory(config.dataDir);
  const postgres = await openPostgres(config, log, {});
  try {
    return await onceOn(
      openDatabase(postgres.connectionString, () => undefined, { use: 'migration' }),
      run,
    );
  } finally {
    await postgres.stop();
  }
}

async function ensureMigrated(db: Database, { migrates }: Config, log: Logger): Promise<void> {
  if (!migrates) return requireMigrated(db);
  const applied = await migrate(db, {
    onLocked: (migration) => log.warn({ migration }, 'A migration is waiting: other connections use its tables'),
  });
  if (applied.length > 0) log.info({ migrations: applied.length, last: applied.at(-1) }, 'Migrated the database');
}

async function onceOn<Result>({ db, close }: OpenDatabase, run: (db: Database) => Promise<Result>): Promise<Result> {
  try {
    return await run(db);
  } catch (error) {
    throw error instanceof AppError ? error : databaseUnusable(error);
  } finally {
    await close();
  }
}

async function openPostgres(
  config: Config,
  log: Logger,
  on: Pick<EmbeddedPostgresOptions, 'onFirst' | 'onLost'>,
): Promise<Pick<EmbeddedPostgres, 'connectionString' | 'stop'>> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl, stop: async () => undefined };
  return startEmbeddedPostgres({ directory: embeddedDatabaseIn(config.dataDir), log, ...on });
}

/** Returns the folder of the embedded database, which exists once the database does. */
export function embeddedDatabaseIn(dataDir: string): string {
  return join(dataDir, 'postgres');
}

async function openDataDirectory(path: string): Promise<void> {
  try {
    await ensureWritableDirectory(path);
    // By default, the data directory is in the working directory, which may be the repository of a site. The directory contains
    // keys and credentials.
    await keepOutOfGit(path);
  } catch (cause) {
    throw new AppError(
      'data_directory_unusable',
      `The data directory ${path} cannot be used: ${messageOf(cause)}. Set SITEWARDEN_DATA_DIR to a folder you can write to.`,
      { cause },
    );
  }
}

/** Returns the error for a database that cannot be used at startup. */
export function databaseUnusable(cause: unknown): AppError {
  let advice = 'Check DATABASE_URL, and make sure that PostgreSQL 18 is running there.';
  if (isReadOnly(cause)) advice = 'Make it writable again.';
  else if (isDiskFull(cause)) advice = 'Free up space on its disk.';
  return new AppError('database_unavailable', `The database cannot be used: ${messageOf(cause)}. ${advice}`, { cause });
}
