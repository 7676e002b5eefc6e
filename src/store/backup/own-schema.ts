import { type Client, escapeIdentifier } from 'pg';
import { isNotPermitted } from '../../platform/database-errors.ts';
import { AppError } from '../../platform/errors.ts';

/** A schema that exists only during the transaction of a restore. */
const OWN_SCHEMA = 'sitewarden_restored';

const NOT_PERMITTED =
  'The user of DATABASE_URL may not create schemas in this database, which restore requires. As the owner of the database, run: ' +
  'GRANT CREATE ON DATABASE name TO user';

/**
 * Fills a separate schema, whose contents are then moved to the connection's current schema: there, everything with the same name
 * is replaced. Other tables of the database stay unchanged.
 * @param fill called in the caller's transaction, with a search path that contains only the new schema
 * @throws AppError database_unavailable if the user may not create schemas
 */
export async function inOwnSchema(client: Client, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ schema: string; path: string }>(
    "SELECT current_schema() AS schema, current_setting('search_path') AS path",
  );
  const { schema = '', path = '' } = rows[0] ?? {};
  await client.query(`CREATE SCHEMA ${OWN_SCHEMA}`).catch((cause: unknown) => {
    throw isNotPermitted(cause) ? new AppError('database_unavailable', NOT_PERMITTED, { cause }) : cause;
  });
  await client.query("SELECT set_config('search_path', $1, true)", [OWN_SCHEMA]);
  await fill();
  await moveTo(client, escapeIdentifier(schema));
  await client.query("SELECT set_config('search_path', $1, true)", [path]);
  // Fails if anything was left behind.
  await client.query(`DROP SCHEMA ${OWN_SCHEMA}`);
}

/** In the order in which they are dropped. Indexes, triggers and the sequences of columns belong to their tables. */
const KINDS = ['VIEW', 'TABLE', 'FUNCTION', 'SEQUENCE', 'STATISTICS'] as const;

async function moveTo(client: Client, target: string): Promise<void> {
  const { rows } = await client.query<{ kind: (typeof KINDS)[number]; identity: string }>(`
    SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'r' THEN 'TABLE' ELSE 'SEQUENCE' END AS kind, quote_ident(relname) AS identity
    FROM pg_class c
    WHERE relnamespace = current_schema()::regnamespace AND (relkind IN ('v', 'r') OR relkind = 'S' AND NOT EXISTS (
      SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
    UNION ALL
    SELECT 'FUNCTION', format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'STATISTICS', quote_ident(stxname) FROM pg_statistic_ext WHERE stxnamespace = current_schema()::regnamespace`);
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  for (const kind of KINDS) {
    const replaced = byKind.get(kind)?.map(({ identity }) => `${target}.${identity}`) ?? [];
    if (replaced.length > 0) await client.query(`DROP ${kind} IF EXISTS ${replaced.join(', ')}`);
  }
  for (const { kind, identity } of rows) await client.query(`ALTER ${kind} ${identity} SET SCHEMA ${target}`);
}
