import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureFirstAccount } from './accounts/accounts.ts';
import { ensureAdminToken } from './accounts/tokens.ts';
import type { Config } from './config.ts';
import { type ChildRegistry, openChildRegistry } from './platform/child-registry.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { AppError, messageOf } from './platform/errors.ts';
import type { Logger } from './platform/logger.ts';
import { type Database, openDatabase } from './store/database.ts';
import { migrate } from './store/migrate.ts';

/** The database of this installation, at the newest schema, with the directory that everything of ours lives in. */
export interface Foundation {
  readonly db: Database;
  readonly connectionString: string;
  readonly children: ChildRegistry;
  /** Leaves the database; the last process that uses the embedded one stops it. */
  close(): Promise<void>;
}

/**
 * Opens the data directory and the database, which is what every command needs.
 * @throws AppError data_directory_unusable, database_unavailable, database_failed_to_start, migration_failed
 */
export async function openFoundation(config: Config, log: Logger): Promise<Foundation> {
  await makeDirectory(config.dataDir);
  const children = await openChildRegistry(config.dataDir);
  const postgres =
    config.databaseUrl === null
      ? await startEmbeddedPostgres({ directory: join(config.dataDir, 'postgres'), log })
      : { connectionString: config.databaseUrl, stop: async () => undefined };
  const { db, close } = openDatabase(postgres.connectionString, (error) => {
    log.warn({ reason: messageOf(error) }, 'Lost an idle connection to the database');
  });
  const closeAll = async (): Promise<void> => {
    await close();
    await postgres.stop();
    children.close();
  };
  try {
    const applied = await migrate(db).catch((error: unknown) => {
      throw error instanceof AppError ? error : unreachable(error);
    });
    if (applied.length > 0) log.info({ migrations: applied }, 'Brought the database up to date');
    if (config.adminToken === null) await ensureFirstAccount(db);
    else await ensureAdminToken(db, config.adminToken);
  } catch (error) {
    await closeAll();
    throw error;
  }
  return { db, connectionString: postgres.connectionString, children, close: closeAll };
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    throw new AppError(
      'data_directory_unusable',
      `The data directory ${path} cannot be made: ${messageOf(cause)}. Set SITEWARDEN_DATA_DIR to a folder you may write to.`,
      { cause },
    );
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError(
    'database_unavailable',
    `The database does not answer: ${messageOf(cause)}. Check DATABASE_URL, and that PostgreSQL 18 runs there.`,
    { cause },
  );
}
