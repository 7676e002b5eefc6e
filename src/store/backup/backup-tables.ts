import pg from 'pg';
import type { BackupContents } from './backup-format.ts';

/** The columns that a backup contains, by table and in their order: all except generated ones. */
export type TableColumns = Readonly<Record<string, string[]>>;

/** Connects to a database and disconnects afterwards. */
export async function withClient(connectionString: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString, keepAlive: true });
  // If the connection is lost, queries report it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

export async function readMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

/** Reads the last value of each sequence. */
export async function readSequences(client: pg.Client): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    'SELECT sequencename AS name, last_value AS value FROM pg_sequences WHERE schemaname = current_schema()',
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Reads the tables that a backup contains: all except the list of migrations, and unlogged tables. */
export async function readTables(client: pg.Client): Promise<TableColumns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> 'migrations'
    GROUP BY c.relname ORDER BY c.relname`);
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
}

/** Returns the table and columns to `COPY`, as SQL. */
export function copied(table: string, columns: readonly string[]): string {
  return `${pg.escapeIdentifier(table)} (${columns.map((name) => pg.escapeIdentifier(name)).join(', ')})`;
}

/** Counts what a database contains. */
export async function countContents(client: pg.Client): Promise<BackupContents> {
  const { rows } = await client.query<{ reports: string; pages: string }>(
    'SELECT (SELECT count(*) FROM reports) AS reports, (SELECT count(*) FROM web_pages) AS pages',
  );
  return { reports: Number(rows[0]?.reports), pages: Number(rows[0]?.pages) };
}

/** Whether a database has the tables of an installation. @throws Error of the database */
export async function hasInstallation(connectionString: string): Promise<boolean> {
  let found = false;
  await withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ is: boolean }>("SELECT to_regclass('migrations') IS NOT NULL AS is");
    found = rows[0]?.is === true;
  });
  return found;
}
